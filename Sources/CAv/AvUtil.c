#include "Libraries.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(enum AVChannel, av_channel_layout_channel_from_index, (const AVChannelLayout *layout, unsigned index), \
    (layout, index)) \
  FUNCTION(void, av_dict_free, (AVDictionary **dictionary), (dictionary)) \
  FUNCTION(AVDictionaryEntry *, av_dict_get, \
    (const AVDictionary *dictionary, const char *key, const AVDictionaryEntry *last, int flags), \
    (dictionary, key, last, flags)) \
  FUNCTION(int, av_dict_set, (AVDictionary **dictionary, const char *key, const char *value, int flags), \
    (dictionary, key, value, flags)) \
  FUNCTION(AVFrame *, av_frame_alloc, (void), ()) \
  FUNCTION(void, av_frame_free, (AVFrame **frame), (frame)) \
  FUNCTION(void, av_free, (void *block), (block)) \
  FUNCTION(int, av_log_get_level, (void), ()) \
  FUNCTION(void, av_log_set_level, (int level), (level)) \
  FUNCTION(void *, av_malloc, (size_t size), (size)) \
  FUNCTION(void, av_max_alloc, (size_t size), (size))

LIBRARY(VERSION("libavutil", LIBAVUTIL_VERSION_MAJOR), prosper_avutil_failure, FUNCTIONS)
