#pragma once

#include <FLAC/stream_decoder.h>
#include <FLAC/stream_encoder.h>
#include <stdbool.h>

/// Whether libFLAC can be loaded, which the first call tries. A libsndfile without FLAC, or with a libFLAC of its own
/// inside, does not load it. Ask before any other function of this module is called.
bool prosper_flac_is_loaded(void);

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

/// Adds interleaved stereo samples. Returns whether that was possible.
bool prosper_flac_add(FLAC__StreamEncoder *encoder, const FLAC__int32 *samples, unsigned frames);

/// Encodes what was added, to the last sample. Returns whether that was possible.
bool prosper_flac_end(FLAC__StreamEncoder *encoder);
