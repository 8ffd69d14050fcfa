#pragma once

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdbool.h>

/// Why libavformat, libavcodec or libavutil can't be loaded, as the text of dlerror; null if they are loaded. Ask before
/// any other function of this module is called. Their structures differ between versions, so only the versions of the
/// headers are loaded, which are part of their names.
const char *prosper_av_failure(void);

/// The Debian packages of the libraries.
const char *prosper_av_packages(void);

// Macros that Swift does not import.
extern const int prosper_av_end, prosper_av_again, prosper_av_unsupported;
extern const int64_t prosper_av_no_time;

/// An input whose bytes come from the functions; a null pointer if there is not enough memory.
AVIOContext *prosper_av_input(void *source, int (*read)(void *, uint8_t *, int), int64_t (*seek)(void *, int64_t, int));

void prosper_av_close_input(AVIOContext *input);

/// A context without a format that reads from an input, and never opens a file. A null pointer if there is not enough
/// memory.
AVFormatContext *prosper_av_context(AVIOContext *input);
