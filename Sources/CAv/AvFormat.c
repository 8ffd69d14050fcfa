#include "Libraries.h"

#include <pthread.h>

#define FUNCTIONS(FUNCTION) \
  FUNCTION(const AVInputFormat *, av_find_input_format, (const char *name), (name)) \
  FUNCTION(int, av_find_best_stream, \
    (AVFormatContext *context, enum AVMediaType type, int wanted, int related, const AVCodec **decoder, int flags), \
    (context, type, wanted, related, decoder, flags)) \
  FUNCTION(int, av_probe_input_buffer2, \
    (AVIOContext *input, const AVInputFormat **format, const char *url, void *log, unsigned offset, unsigned size), \
    (input, format, url, log, offset, size)) \
  FUNCTION(int, av_read_frame, (AVFormatContext *context, AVPacket *packet), (context, packet)) \
  FUNCTION(int, av_seek_frame, (AVFormatContext *context, int stream, int64_t time, int flags), \
    (context, stream, time, flags)) \
  FUNCTION(AVFormatContext *, avformat_alloc_context, (void), ()) \
  FUNCTION(void, avformat_close_input, (AVFormatContext **context), (context)) \
  FUNCTION(int, avformat_find_stream_info, (AVFormatContext *context, AVDictionary **options), (context, options)) \
  FUNCTION(int, avformat_open_input, \
    (AVFormatContext **context, const char *url, const AVInputFormat *format, AVDictionary **options), \
    (context, url, format, options)) \
  FUNCTION(void, avio_context_free, (AVIOContext **input), (input))

// The parameters of avio_alloc_context differ between versions.
#define ALL_FUNCTIONS(FUNCTION) FUNCTIONS(FUNCTION) FUNCTION(AVIOContext *, avio_alloc_context,,)

LIBRARY_LOADING(VERSION("libavformat", LIBAVFORMAT_VERSION_MAJOR), prosper_avformat_failure, ALL_FUNCTIONS)
FUNCTIONS(LIBRARY_FUNCTION)

// A distribution has the packages of one version of FFmpeg only.
#if LIBAVFORMAT_VERSION_MAJOR == 59
#define RELEASE " (of FFmpeg 5)"
#elif LIBAVFORMAT_VERSION_MAJOR == 60
#define RELEASE " (of FFmpeg 6)"
#elif LIBAVFORMAT_VERSION_MAJOR == 61
#define RELEASE " (of FFmpeg 7)"
#else
#define RELEASE ""
#endif

const char *prosper_av_packages(void) {
  return "libavformat" AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR) " and libavcodec"
         AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR) RELEASE;
}

const int prosper_av_end = AVERROR_EOF;
const int prosper_av_again = AVERROR(EAGAIN);
const int prosper_av_unsupported = AVERROR_PATCHWELCOME;
const int64_t prosper_av_no_time = AV_NOPTS_VALUE;

static void prepare(void) {
  // A program that uses the libraries for itself may have changed the level.
  if (av_log_get_level() == AV_LOG_INFO) av_log_set_level(AV_LOG_QUIET);
  // No sound needs larger blocks, but a damaged header may ask for them.
  av_max_alloc(256 << 20);
}

const char *prosper_av_failure(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const char *failure = prosper_avutil_failure();
  if (!failure) failure = prosper_avcodec_failure();
  if (!failure) failure = prosper_avformat_failure();
  if (!failure) pthread_once(&once, prepare);
  return failure;
}

AVIOContext *prosper_av_input(void *source, int (*read)(void *, uint8_t *, int),
                              int64_t (*seek)(void *, int64_t, int)) {
  const int size = 32768;
  unsigned char *buffer = av_malloc(size);
  if (!buffer) return 0;
  AVIOContext *input = functions.avio_alloc_context(buffer, size, 0, source, read, 0, seek);
  if (!input) av_free(buffer);
  return input;
}

void prosper_av_close_input(AVIOContext *input) {
  // The libraries may have replaced the buffer.
  av_free(input->buffer);
  avio_context_free(&input);
}

static int refuse(AVFormatContext *context, AVIOContext **input, const char *url, int flags, AVDictionary **options) {
  return AVERROR(EPERM);
}

AVFormatContext *prosper_av_context(AVIOContext *input) {
  AVFormatContext *context = avformat_alloc_context();
  if (!context) return 0;
  context->pb = input;
  context->flags |= AVFMT_FLAG_CUSTOM_IO;
  context->io_open = refuse;
  return context;
}
