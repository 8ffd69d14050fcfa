#pragma once

#include <FLAC/stream_decoder.h>
#include <FLAC/stream_encoder.h>
#include <stdbool.h>

/// Why libFLAC can't be loaded, as the text of dlerror; null if it is loaded. Each call tries it. A libsndfile without
/// FLAC, or with a libFLAC of its own inside, does not load it. Ask before any other function of this module is called.
const char *prosper_flac_failure(void);

/// The name and version that libFLAC writes into files.
const char *prosper_flac_vendor(void);

/// An encoder; a null pointer if there is not enough memory.
FLAC__StreamEncoder *prosper_flac_open(void);

void prosper_flac_close(FLAC__StreamEncoder *encoder);

/// The state of an encoder, which names the last error, in libFLAC's words.
const char *prosper_flac_state(const FLAC__StreamEncoder *encoder);

/// Prepares an encoder for stereo. Returns whether that was possible.
bool prosper_flac_begin(FLAC__StreamEncoder *encoder, int level, int block, int bits, int rate,
                        FLAC__StreamEncoderWriteCallback take, void *target);

/// Prepares an encoder for a stream of stereo samples with 16 bits in Ogg pages. Returns whether that was possible.
///
/// `serial` numbers the stream; `lines` are its tags, such as "TITLE=Rain", one per line.
bool prosper_flac_begin_ogg(FLAC__StreamEncoder *encoder, int rate, long serial, const char *lines,
                            FLAC__StreamEncoderWriteCallback take, void *target);

/// Adds interleaved stereo samples. Returns whether that was possible.
bool prosper_flac_add(FLAC__StreamEncoder *encoder, const FLAC__int32 *samples, unsigned frames);

/// Encodes what was added, to the last sample. Returns whether that was possible.
bool prosper_flac_end(FLAC__StreamEncoder *encoder);

/// Where a decoder reads a file, and what it delivers, as libFLAC documents it.
typedef struct {
  FLAC__StreamDecoderReadCallback read;
  FLAC__StreamDecoderSeekCallback seek;
  FLAC__StreamDecoderTellCallback tell;
  FLAC__StreamDecoderLengthCallback length;
  FLAC__StreamDecoderEofCallback eof;
  FLAC__StreamDecoderWriteCallback write;
  FLAC__StreamDecoderErrorCallback error;
} ProsperFLACInput;

/// A decoder of a file; a null pointer if the file's headers can't be read.
FLAC__StreamDecoder *prosper_flac_decoder(const ProsperFLACInput *input, void *client);

void prosper_flac_close_decoder(FLAC__StreamDecoder *decoder);

/// Decodes the next block. Returns false at the end.
bool prosper_flac_decode(FLAC__StreamDecoder *decoder);

/// Moves to a frame of sound, and decodes the rest of its block. Returns false if it can't be found.
bool prosper_flac_seek(FLAC__StreamDecoder *decoder, FLAC__uint64 frame);
