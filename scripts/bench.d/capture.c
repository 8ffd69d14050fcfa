// Records a monitor through the PulseAudio protocol and reports when its frames were heard.
//
//   capture SOURCE RATE FRAGMENT-MS
//
// Writes records to standard output: a 32-bit kind, the 32-bit length of what follows, and then, for
//   kind 0  stereo frames of 16 bits;
//   kind 1  three doubles: a time; when the first frame was heard, according to the server's timing at that time; and
//           the seconds of sound that the monitored sink had rendered but not played at that time.
// Times are seconds of CLOCK_MONOTONIC.
//
// A line on standard input is a new FRAGMENT-MS. The server treats it as a requested latency: with a short one
// PulseAudio's null sink renders short blocks, and with two seconds the blocks that the player requests.
#include <pulse/pulseaudio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CHANNELS = 2, FRAME = CHANNELS * sizeof(short), BETWEEN = 50 * PA_USEC_PER_MSEC };

static struct {
  const char *source;
  long fragment;  // In milliseconds.
  pa_sample_spec format;
  pa_mainloop *loop;
  pa_stream *stream;
} capture;

static void record(uint32_t kind, const void *bytes, size_t length) {
  static const char silence[1 << 16];
  uint32_t head[2] = {kind, (uint32_t)length};
  fwrite(head, sizeof head, 1, stdout);
  if (bytes) fwrite(bytes, 1, length, stdout);
  for (size_t rest = bytes ? 0 : length; rest > 0;) {  // A hole in the stream.
    size_t part = rest < sizeof silence ? rest : sizeof silence;
    fwrite(silence, 1, part, stdout);
    rest -= part;
  }
  if (fflush(stdout) != 0) pa_mainloop_quit(capture.loop, 1);
}

static void frames_come(pa_stream *stream, size_t length, void *unused) {
  (void)unused;
  const void *bytes;
  while (pa_stream_readable_size(stream) > 0) {
    if (pa_stream_peek(stream, &bytes, &length) < 0) return pa_mainloop_quit(capture.loop, 1);
    if (length == 0) return;
    record(0, bytes, length);
    pa_stream_drop(stream);
  }
}

static void timing_comes(pa_stream *stream, int success, void *unused) {
  (void)unused;
  const pa_timing_info *info = pa_stream_get_timing_info(stream);
  if (!success || !info || info->write_index_corrupt || info->write_index <= 0) return;
  struct timeval then = info->timestamp;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double moment = (double)now.tv_sec + (double)now.tv_nsec / 1e9 - (double)pa_timeval_age(&then) / 1e6;
  double sent = (double)info->write_index / FRAME / capture.format.rate;
  double heard = sent + ((double)info->source_usec - (double)info->sink_usec) / 1e6;
  double times[3] = {moment, moment - heard, (double)info->sink_usec / 1e6};
  record(1, times, sizeof times);
}

static void ask(pa_mainloop_api *api, pa_time_event *timer, const struct timeval *now, void *unused) {
  (void)now, (void)unused;
  pa_operation *asked = pa_stream_update_timing_info(capture.stream, timing_comes, NULL);
  if (asked) pa_operation_unref(asked);
  struct timeval next;
  api->time_restart(timer, pa_timeval_add(pa_gettimeofday(&next), BETWEEN));
}

static pa_buffer_attr sizes(void) {
  return (pa_buffer_attr){.maxlength = (uint32_t)-1, .tlength = (uint32_t)-1, .prebuf = (uint32_t)-1,
                          .minreq = (uint32_t)-1,
                          .fragsize = (uint32_t)(capture.format.rate * capture.fragment / 1000 * FRAME)};
}

static void line_comes(pa_mainloop_api *api, pa_io_event *event, int file, pa_io_event_flags_t flags, void *unused) {
  (void)flags, (void)unused;
  char line[32] = {0};
  if (read(file, line, sizeof line - 1) <= 0) return api->io_free(event);
  capture.fragment = atol(line);
  pa_buffer_attr wanted = sizes();
  pa_operation *asked = pa_stream_set_buffer_attr(capture.stream, &wanted, NULL, NULL);
  if (asked) pa_operation_unref(asked);
}

static void stream_changes(pa_stream *stream, void *unused) {
  (void)unused;
  if (pa_stream_get_state(stream) == PA_STREAM_FAILED) return pa_mainloop_quit(capture.loop, 1);
  if (pa_stream_get_state(stream) != PA_STREAM_READY) return;
  pa_mainloop_api *api = pa_mainloop_get_api(capture.loop);
  struct timeval now;
  api->time_new(api, pa_gettimeofday(&now), ask, NULL);
  api->io_new(api, STDIN_FILENO, PA_IO_EVENT_INPUT, line_comes, NULL);
}

static void context_changes(pa_context *context, void *unused) {
  (void)unused;
  if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context))) return pa_mainloop_quit(capture.loop, 1);
  if (pa_context_get_state(context) != PA_CONTEXT_READY) return;
  pa_buffer_attr wanted = sizes();
  capture.stream = pa_stream_new(context, "capture", &capture.format, NULL);
  pa_stream_set_read_callback(capture.stream, frames_come, NULL);
  pa_stream_set_state_callback(capture.stream, stream_changes, NULL);
  pa_stream_connect_record(capture.stream, capture.source, &wanted,
                           PA_STREAM_ADJUST_LATENCY | PA_STREAM_NO_REMIX_CHANNELS);
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "capture: usage: capture SOURCE RATE FRAGMENT-MS\n");
    return 64;
  }
  capture.source = arguments[1];
  capture.format = (pa_sample_spec){PA_SAMPLE_S16NE, (uint32_t)atol(arguments[2]), CHANNELS};
  capture.fragment = atol(arguments[3]);
  capture.loop = pa_mainloop_new();
  pa_context *context = pa_context_new(pa_mainloop_get_api(capture.loop), "capture");
  pa_context_set_state_callback(context, context_changes, NULL);
  pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL);
  int status = 1;
  pa_mainloop_run(capture.loop, &status);
  return status;
}
