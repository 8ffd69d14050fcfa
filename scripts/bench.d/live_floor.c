// Plays a file through PulseAudio and does nothing else: the minimum cost of a live player. It has one thread, which
// the server wakes when an eighth of the buffer or more has been played. With ADJUST_LATENCY the server's own blocks
// are as long as the buffer allows; without it, or with larger requests, PulseAudio's null sink renders 2,000 blocks
// per second.
//
//   live_floor FILE BUFFER-MS
#include <pulse/pulseaudio.h>
#include <sndfile.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { REQUESTS = 8, CHANNELS = 2, FRAME = CHANNELS * sizeof(short) };

static struct {
  SNDFILE *file;
  pa_sample_spec format;
  uint32_t buffer;  // In bytes.
  pa_mainloop *loop;
} floor_player;

static void fill(pa_stream *stream, size_t wanted, void *unused) {
  (void)unused;
  while (wanted >= FRAME) {
    void *space;
    size_t room = wanted;
    if (pa_stream_begin_write(stream, &space, &room) < 0) return pa_mainloop_quit(floor_player.loop, 1);
    sf_count_t got = sf_readf_short(floor_player.file, space, (sf_count_t)(room / FRAME));
    if (got == 0) return pa_mainloop_quit(floor_player.loop, 0);
    pa_stream_write(stream, space, (size_t)got * FRAME, NULL, 0, PA_SEEK_RELATIVE);
    wanted -= (size_t)got * FRAME;
  }
}

static void connected(pa_context *context, void *unused) {
  (void)unused;
  if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context))) return pa_mainloop_quit(floor_player.loop, 1);
  if (pa_context_get_state(context) != PA_CONTEXT_READY) return;
  // Playback starts when a twentieth of a second has been written.
  pa_buffer_attr sizes = {.maxlength = (uint32_t)-1, .tlength = floor_player.buffer,
                          .minreq = floor_player.buffer / REQUESTS / FRAME * FRAME,
                          .prebuf = floor_player.format.rate / 20 * FRAME, .fragsize = (uint32_t)-1};
  pa_stream *stream = pa_stream_new(context, "bed", &floor_player.format, NULL);
  pa_stream_set_write_callback(stream, fill, NULL);
  pa_stream_connect_playback(stream, NULL, &sizes, PA_STREAM_ADJUST_LATENCY, NULL, NULL);
}

int main(int count, char **arguments) {
  SF_INFO info = {0};
  floor_player.file = count == 3 ? sf_open(arguments[1], SFM_READ, &info) : NULL;
  if (!floor_player.file || info.channels != CHANNELS) {
    fprintf(stderr, "live_floor: usage: live_floor STEREO-FILE BUFFER-MS\n");
    return 64;
  }
  floor_player.format = (pa_sample_spec){PA_SAMPLE_S16NE, (uint32_t)info.samplerate, CHANNELS};
  floor_player.buffer = (uint32_t)((long)info.samplerate * atol(arguments[2]) / 1000 * FRAME);
  floor_player.loop = pa_mainloop_new();
  pa_context *context = pa_context_new(pa_mainloop_get_api(floor_player.loop), "floor");
  pa_context_set_state_callback(context, connected, NULL);
  pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL);
  int status = 1;
  pa_mainloop_run(floor_player.loop, &status);
  return status;
}
