#include "Libraries.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(int, av_new_packet, (AVPacket *packet, int size), (packet, size)) \
  FUNCTION(AVPacket *, av_packet_alloc, (void), ()) \
  FUNCTION(void, av_packet_free, (AVPacket **packet), (packet)) \
  FUNCTION(void, av_packet_unref, (AVPacket *packet), (packet)) \
  FUNCTION(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec)) \
  FUNCTION(const AVCodec *, avcodec_find_decoder, (enum AVCodecID id), (id)) \
  FUNCTION(void, avcodec_flush_buffers, (AVCodecContext *context), (context)) \
  FUNCTION(void, avcodec_free_context, (AVCodecContext **context), (context)) \
  FUNCTION(const char *, avcodec_get_name, (enum AVCodecID id), (id)) \
  FUNCTION(int, avcodec_open2, (AVCodecContext *context, const AVCodec *codec, AVDictionary **options), \
    (context, codec, options)) \
  FUNCTION(int, avcodec_parameters_to_context, (AVCodecContext *context, const AVCodecParameters *parameters), \
    (context, parameters)) \
  FUNCTION(int, avcodec_receive_frame, (AVCodecContext *context, AVFrame *frame), (context, frame)) \
  FUNCTION(int, avcodec_send_packet, (AVCodecContext *context, const AVPacket *packet), (context, packet))

LIBRARY(VERSION("libavcodec", LIBAVCODEC_VERSION_MAJOR), prosper_avcodec_failure, FUNCTIONS)
