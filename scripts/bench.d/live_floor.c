// Plays a file through PulseAudio and does nothing else: what is left of a live player when all comfort is gone.
//
//   live_floor FILE BUFFER-MS
#include <pulse/error.h>
#include <pulse/simple.h>
#include <sndfile.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHANNELS = 2, BLOCK_PARTS = 4 };

int main(int count, char **arguments) {
  SF_INFO info = {0};
  SNDFILE *file = count == 3 ? sf_open(arguments[1], SFM_READ, &info) : NULL;
  if (!file || info.channels != CHANNELS) {
    fprintf(stderr, "live_floor: usage: live_floor STEREO-FILE BUFFER-MS\n");
    return 64;
  }
  pa_sample_spec format = {.format = PA_SAMPLE_S16NE, .rate = (uint32_t)info.samplerate, .channels = CHANNELS};
  long buffer = info.samplerate * atol(arguments[2]) / 1000, block = buffer / BLOCK_PARTS;
  uint32_t bytes = CHANNELS * sizeof(short);
  // Sound starts as soon as a twentieth of a second is there.
  pa_buffer_attr sizes = {.maxlength = (uint32_t)-1, .tlength = (uint32_t)buffer * bytes,
                          .prebuf = (uint32_t)info.samplerate / 20 * bytes, .minreq = (uint32_t)buffer / 2 * bytes,
                          .fragsize = (uint32_t)-1};
  int error = 0;
  pa_simple *sink = pa_simple_new(NULL, "floor", PA_STREAM_PLAYBACK, NULL, "bed", &format, NULL, &sizes, &error);
  short *frames = malloc((size_t)block * bytes);
  sf_count_t got;
  while (sink && error == 0 && (got = sf_readf_short(file, frames, block)) > 0)
    pa_simple_write(sink, frames, (size_t)got * bytes, &error);
  if (error) fprintf(stderr, "live_floor: %s\n", pa_strerror(error));
  if (sink) pa_simple_free(sink);
  sf_close(file);
  free(frames);
  return error ? 1 : 0;
}
