#include "CFLAC.h"

#include "CLibrary.h"

#include <FLAC/metadata.h>
#include <string.h>

// libFLAC exports this function for the program flac, but no header declares it.
FLAC__bool FLAC__stream_encoder_set_do_md5(FLAC__StreamEncoder *encoder, FLAC__bool value);

#define FUNCTIONS(FUNCTION) \
  FUNCTION(, FLAC__VENDOR_STRING,,) \
  FUNCTION(, FLAC__stream_decoder_delete,,) \
  FUNCTION(, FLAC__stream_decoder_flush,,) \
  FUNCTION(, FLAC__stream_decoder_get_state,,) \
  FUNCTION(, FLAC__stream_decoder_init_stream,,) \
  FUNCTION(, FLAC__stream_decoder_new,,) \
  FUNCTION(, FLAC__stream_decoder_process_single,,) \
  FUNCTION(, FLAC__stream_decoder_process_until_end_of_metadata,,) \
  FUNCTION(, FLAC__stream_decoder_seek_absolute,,) \
  FUNCTION(, FLAC__format_sample_rate_is_subset,,) \
  FUNCTION(, FLAC__metadata_object_delete,,) \
  FUNCTION(, FLAC__metadata_object_new,,) \
  FUNCTION(, FLAC__metadata_object_vorbiscomment_append_comment,,) \
  FUNCTION(, FLAC__stream_encoder_delete,,) \
  FUNCTION(, FLAC__stream_encoder_finish,,) \
  FUNCTION(, FLAC__stream_encoder_get_resolved_state_string,,) \
  FUNCTION(, FLAC__stream_encoder_init_ogg_stream,,) \
  FUNCTION(, FLAC__stream_encoder_init_stream,,) \
  FUNCTION(, FLAC__stream_encoder_new,,) \
  FUNCTION(, FLAC__stream_encoder_process_interleaved,,) \
  FUNCTION(, FLAC__stream_encoder_set_bits_per_sample,,) \
  FUNCTION(, FLAC__stream_encoder_set_blocksize,,) \
  FUNCTION(, FLAC__stream_encoder_set_channels,,) \
  FUNCTION(, FLAC__stream_encoder_set_compression_level,,) \
  FUNCTION(, FLAC__stream_encoder_set_do_md5,,) \
  FUNCTION(, FLAC__stream_encoder_set_metadata,,) \
  FUNCTION(, FLAC__stream_encoder_set_ogg_serial_number,,) \
  FUNCTION(, FLAC__stream_encoder_set_sample_rate,,) \
  FUNCTION(, FLAC__stream_encoder_set_streamable_subset,,)

// libsndfile loads libFLAC, and dlsym finds the functions of both. Under its own name libFLAC would not be found
// everywhere: it is libFLAC.so.8, .12 or .14, depending on the distribution. These functions are the same in all three.
LIBRARY_LOADING("libsndfile.so.1", prosper_flac_failure, FUNCTIONS)

const char *prosper_flac_vendor(void) { return *functions.FLAC__VENDOR_STRING; }

FLAC__StreamEncoder *prosper_flac_open(void) { return functions.FLAC__stream_encoder_new(); }

void prosper_flac_close(FLAC__StreamEncoder *encoder) { functions.FLAC__stream_encoder_delete(encoder); }

const char *prosper_flac_state(const FLAC__StreamEncoder *encoder) {
  return functions.FLAC__stream_encoder_get_resolved_state_string(encoder);
}

bool prosper_flac_begin(FLAC__StreamEncoder *encoder, int level, int block, int bits, int rate,
                        FLAC__StreamEncoderWriteCallback take, void *target) {
  functions.FLAC__stream_encoder_set_compression_level(encoder, level);
  functions.FLAC__stream_encoder_set_blocksize(encoder, block);
  functions.FLAC__stream_encoder_set_channels(encoder, 2);
  functions.FLAC__stream_encoder_set_bits_per_sample(encoder, bits);
  functions.FLAC__stream_encoder_set_sample_rate(encoder, rate);
  // The headers of frames can't express every rate. Then only the beginning of the stream states it.
  bool is_subset = functions.FLAC__format_sample_rate_is_subset(rate);
  functions.FLAC__stream_encoder_set_streamable_subset(encoder, is_subset);
  // The encoder of a piece would calculate a sum that nobody reads.
  functions.FLAC__stream_encoder_set_do_md5(encoder, false);
  return functions.FLAC__stream_encoder_init_stream(encoder, take, 0, 0, 0, target) ==
         FLAC__STREAM_ENCODER_INIT_STATUS_OK;
}

// Returns the lines as a Vorbis comment; null if there is no memory.
static FLAC__StreamMetadata *comment(const char *lines) {
  FLAC__StreamMetadata *comment = functions.FLAC__metadata_object_new(FLAC__METADATA_TYPE_VORBIS_COMMENT);
  while (comment && *lines) {
    size_t length = strcspn(lines, "\n");
    FLAC__StreamMetadata_VorbisComment_Entry entry = {(FLAC__uint32)length, (FLAC__byte *)lines};
    functions.FLAC__metadata_object_vorbiscomment_append_comment(comment, entry, true);
    lines += length + (lines[length] == '\n');
  }
  return comment;
}

bool prosper_flac_begin_ogg(FLAC__StreamEncoder *encoder, int rate, long serial, const char *lines,
                            FLAC__StreamEncoderWriteCallback take, void *target) {
  functions.FLAC__stream_encoder_set_channels(encoder, 2);
  functions.FLAC__stream_encoder_set_bits_per_sample(encoder, 16);
  functions.FLAC__stream_encoder_set_sample_rate(encoder, rate);
  functions.FLAC__stream_encoder_set_streamable_subset(encoder, functions.FLAC__format_sample_rate_is_subset(rate));
  functions.FLAC__stream_encoder_set_do_md5(encoder, false);
  functions.FLAC__stream_encoder_set_ogg_serial_number(encoder, serial);
  // The encoder writes it at once.
  FLAC__StreamMetadata *metadata = comment(lines);
  if (metadata) functions.FLAC__stream_encoder_set_metadata(encoder, &metadata, 1);
  bool is_open = functions.FLAC__stream_encoder_init_ogg_stream(encoder, 0, take, 0, 0, 0, target) ==
                 FLAC__STREAM_ENCODER_INIT_STATUS_OK;
  if (metadata) functions.FLAC__metadata_object_delete(metadata);
  return is_open;
}

bool prosper_flac_add(FLAC__StreamEncoder *encoder, const FLAC__int32 *samples, unsigned frames) {
  return functions.FLAC__stream_encoder_process_interleaved(encoder, samples, frames);
}

bool prosper_flac_end(FLAC__StreamEncoder *encoder) { return functions.FLAC__stream_encoder_finish(encoder); }

FLAC__StreamDecoder *prosper_flac_decoder(const ProsperFLACInput *input, void *client) {
  FLAC__StreamDecoder *decoder = functions.FLAC__stream_decoder_new();
  if (!decoder) return 0;
  FLAC__StreamDecoderInitStatus status = functions.FLAC__stream_decoder_init_stream(
      decoder, input->read, input->seek, input->tell, input->length, input->eof, input->write, 0, input->error, client);
  if (status == FLAC__STREAM_DECODER_INIT_STATUS_OK && functions.FLAC__stream_decoder_process_until_end_of_metadata(decoder))
    return decoder;
  functions.FLAC__stream_decoder_delete(decoder);
  return 0;
}

void prosper_flac_close_decoder(FLAC__StreamDecoder *decoder) { functions.FLAC__stream_decoder_delete(decoder); }

bool prosper_flac_decode(FLAC__StreamDecoder *decoder) {
  return functions.FLAC__stream_decoder_process_single(decoder) &&
         functions.FLAC__stream_decoder_get_state(decoder) < FLAC__STREAM_DECODER_END_OF_STREAM;
}

bool prosper_flac_seek(FLAC__StreamDecoder *decoder, FLAC__uint64 frame) {
  if (functions.FLAC__stream_decoder_seek_absolute(decoder, frame)) return true;
  functions.FLAC__stream_decoder_flush(decoder);
  return false;
}
