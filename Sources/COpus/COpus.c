#include "COpus.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(int, opus_multistream_decode_float, \
    (OpusMSDecoder *st, const unsigned char *data, opus_int32 len, float *pcm, int frame_size, int decode_fec), \
    (st, data, len, pcm, frame_size, decode_fec)) \
  FUNCTION(OpusMSDecoder *, opus_multistream_decoder_create, \
    (opus_int32 Fs, int channels, int streams, int coupled_streams, const unsigned char *mapping, int *error), \
    (Fs, channels, streams, coupled_streams, mapping, error)) \
  FUNCTION(void, opus_multistream_decoder_destroy, (OpusMSDecoder *st), (st)) \
  FUNCTION(int, opus_packet_get_nb_samples, (const unsigned char packet[], opus_int32 len, opus_int32 Fs), \
    (packet, len, Fs))

#define ALL_FUNCTIONS(FUNCTION) FUNCTIONS(FUNCTION) FUNCTION(int, opus_multistream_decoder_ctl,,)

LIBRARY_LOADING("libopus.so.0", prosper_opus_failure, ALL_FUNCTIONS)
FUNCTIONS(LIBRARY_FUNCTION)

int prosper_opus_set_gain(OpusMSDecoder *decoder, opus_int32 gain) {
  return functions.opus_multistream_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}
