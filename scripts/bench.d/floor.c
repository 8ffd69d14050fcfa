// The minimum of work for the job, and the levels of a file.
//
//   floor copy OUT INPUT...   decodes the inputs one after the other and writes them: no mixing, no resampling
//   floor levels FILE         prints the frames, the rate, and the RMS of the whole and of every ten seconds, in dB
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096, CHANNELS = 2 };

static SNDFILE *open_input(const char *path, SF_INFO *info) {
  *info = (SF_INFO){0};
  SNDFILE *file = sf_open(path, SFM_READ, info);
  if (file && info->channels == CHANNELS) return file;
  fprintf(stderr, "floor: can't read %s as stereo\n", path);
  return NULL;
}

static int copy(const char *path, char **inputs, int count) {
  const char *ending = strrchr(path, '.');
  int container = ending && strcmp(ending, ".flac") == 0 ? SF_FORMAT_FLAC : SF_FORMAT_WAV;
  SF_INFO info, of_output = {.samplerate = 44100, .channels = CHANNELS, .format = container | SF_FORMAT_PCM_16};
  SNDFILE *out = sf_open(path, SFM_WRITE, &of_output);
  short frames[BLOCK * CHANNELS];
  for (int i = 0; i < count; i++) {
    SNDFILE *file = open_input(inputs[i], &info);
    sf_count_t got;
    if (!file) return 1;
    while ((got = sf_readf_short(file, frames, BLOCK)) > 0)
      if (sf_writef_short(out, frames, got) != got) return 1;
    sf_close(file);
  }
  return sf_close(out) == 0 ? 0 : 1;
}

static double decibels(double squares, double frames) { return 10 * log10(squares / (frames * CHANNELS) + 1e-12); }

static int levels(const char *path) {
  SF_INFO info;
  SNDFILE *file = open_input(path, &info);
  float frames[BLOCK * CHANNELS];
  double whole = 0, part = 0;
  sf_count_t got, in_part = 0, total = 0, wanted = BLOCK;
  if (!file) return 1;
  while ((got = sf_readf_float(file, frames, wanted)) > 0) {
    for (sf_count_t i = 0; i < got * CHANNELS; i++) part += (double)frames[i] * frames[i];
    total += got;
    in_part += got;
    if (in_part == 10 * info.samplerate) {
      printf("%.2f ", decibels(part, in_part));
      whole += part;
      part = in_part = 0;
    }
    wanted = 10 * info.samplerate - in_part < BLOCK ? 10 * info.samplerate - in_part : BLOCK;
  }
  printf("\n%ld %d %.3f\n", (long)total, info.samplerate, decibels(whole + part, total));
  return sf_close(file);
}

int main(int count, char **arguments) {
  if (count > 3 && strcmp(arguments[1], "copy") == 0) return copy(arguments[2], arguments + 3, count - 3);
  if (count == 3 && strcmp(arguments[1], "levels") == 0) return levels(arguments[2]);
  fprintf(stderr, "floor: usage: floor copy OUT INPUT... | floor levels FILE\n");
  return 64;
}
