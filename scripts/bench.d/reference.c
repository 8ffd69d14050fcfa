// The benchmark's job, written for this purpose only: the cost of a render without any overhead.
//
//   reference THREADS JOB OUT     OUT is .wav or .flac: 44.1 kHz, stereo, 16 bit
//
// JOB is text: the first line is the length in frames; then one cue per line: START FRAMES FADE-IN FADE-OUT VOLUME
// PATH, in frames of 44.1 kHz (a length of 0 means the whole file), fades of equal power. Paths contain no spaces.
//
// Two threads render alternate parts of 20 seconds. Each has its own decoders, which seek to the part, and the threads
// write in turn, so that decoding uses both cores while encoding continues. A single thread never seeks.
#include <math.h>
#include <pthread.h>
#include <sndfile.h>
#include <soxr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 44100, STRETCH = 20 * RATE, BLOCK = 4096, CUES = 64, THREADS = 2, PREROLL = RATE };

typedef struct {
  long start, frames, fade_in, fade_out;
  float volume;
  char path[512];
} Cue;

typedef struct {  // The decoder of one cue in one thread; `next` is the next output frame that it returns.
  const Cue *cue;
  SNDFILE *file;
  SF_INFO info;
  soxr_t resampler;
  long next;
  float *input;
} Source;

static struct {
  Cue cues[CUES];
  int count, threads;
  long length;
  SNDFILE *out;
  long turn;
  pthread_mutex_t lock;
  pthread_cond_t turned;
} job = {.lock = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};

static void die(const char *what, const char *which) {
  fprintf(stderr, "reference: %s: %s\n", what, which);
  exit(1);
}

static size_t feed(void *state, soxr_in_t *data, size_t wanted) {
  Source *source = state;
  *data = source->input;
  return (size_t)sf_readf_float(source->file, source->input, (long)wanted < BLOCK ? (long)wanted : BLOCK);
}

static void open_source(Source *source) {
  source->file = sf_open(source->cue->path, SFM_READ, &source->info);
  if (!source->file || source->info.channels != 2) die("can't read as stereo", source->cue->path);
  source->input = malloc(BLOCK * 2 * sizeof(float));
}

static void close_source(Source *source) {
  if (source->resampler) soxr_delete(source->resampler);
  if (source->file) sf_close(source->file);
  free(source->input);
  *source = (Source){.cue = source->cue};
}

// A resampler that starts within a file begins one second early, and its output of that second is dropped. Parts begin
// at whole seconds, where input and output frames coincide.
static void seek_resampled(Source *source, long position) {
  soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  float dropped[BLOCK * 2];
  long early = position < PREROLL ? position : PREROLL;
  if (source->resampler) soxr_delete(source->resampler);
  source->resampler = soxr_create(source->info.samplerate, RATE, 2, NULL, NULL, &quality, NULL);
  if (!source->resampler) die("no resampler for", source->cue->path);
  soxr_set_input_fn(source->resampler, feed, source, BLOCK);
  sf_seek(source->file, (position - early) * source->info.samplerate / RATE, SEEK_SET);
  while (early > 0) early -= (long)soxr_output(source->resampler, dropped, early < BLOCK ? early : BLOCK);
}

static long pull(Source *source, long position, float *frames, long count) {
  if (!source->file) open_source(source);
  if (source->info.samplerate == RATE) {
    if (position != source->next) sf_seek(source->file, position, SEEK_SET);
    source->next = position + count;
    return sf_readf_float(source->file, frames, count);
  }
  if (position != source->next || !source->resampler) seek_resampled(source, position);
  source->next = position + count;
  return (long)soxr_output(source->resampler, frames, count);
}

static float gain(const Cue *cue, long position) {
  float value = cue->volume;
  if (position < cue->fade_in) value *= sinf((float)M_PI_2 * position / cue->fade_in);
  long left = cue->frames - position;
  if (left < cue->fade_out) value *= sinf((float)M_PI_2 * left / cue->fade_out);
  return value;
}

static void add(const Cue *cue, long position, const float *restrict frames, long count, float *restrict mix) {
  if (position < cue->fade_in || cue->frames - position - count < cue->fade_out) {
    for (long i = 0; i < count; i++) {
      float value = gain(cue, position + i);
      mix[2 * i] += value * frames[2 * i];
      mix[2 * i + 1] += value * frames[2 * i + 1];
    }
  } else {
    for (long i = 0; i < 2 * count; i++) mix[i] += cue->volume * frames[i];
  }
}

static void mix_block(Source *sources, long at, long count, float *mix) {
  float frames[BLOCK * 2];
  memset(mix, 0, count * 2 * sizeof(float));
  for (int i = 0; i < job.count; i++) {
    const Cue *cue = sources[i].cue;
    long from = cue->start > at ? cue->start : at;
    long to = cue->start + cue->frames < at + count ? cue->start + cue->frames : at + count;
    if (from < to) {
      long got = pull(&sources[i], from - cue->start, frames, to - from);
      add(cue, from - cue->start, frames, got, mix + 2 * (from - at));
    } else if (sources[i].file && cue->start + cue->frames <= at) {
      close_source(&sources[i]);
    }
  }
}

// Adding 1.5 * 2^23 leaves the nearest integer in the low bits of a float: rounding that compilers can vectorise.
static void to_shorts(const float *restrict mix, long samples, int16_t *restrict out) {
  for (long i = 0; i < samples; i++) {
    union { float real; int32_t bits; } rounded;
    float value = mix[i] * 32768.0f;
    value = value > -32768.0f ? value : -32768.0f;
    value = value < 32767.0f ? value : 32767.0f;
    rounded.real = value + 12582912.0f;
    out[i] = (int16_t)(rounded.bits - 0x4B400000);
  }
}

static void write_in_turn(long stretch, const int16_t *frames, long count) {
  pthread_mutex_lock(&job.lock);
  while (job.turn != stretch) pthread_cond_wait(&job.turned, &job.lock);
  pthread_mutex_unlock(&job.lock);
  if (sf_writef_short(job.out, frames, count) != count) die("can't write", sf_strerror(job.out));
  pthread_mutex_lock(&job.lock);
  job.turn++;
  pthread_cond_broadcast(&job.turned);
  pthread_mutex_unlock(&job.lock);
}

static void *work(void *number) {
  Source sources[CUES] = {0};
  float mix[BLOCK * 2];
  int16_t *frames = malloc(STRETCH * 2 * sizeof(int16_t));
  for (int i = 0; i < job.count; i++) sources[i].cue = &job.cues[i];
  for (long stretch = (intptr_t)number; stretch * STRETCH < job.length; stretch += job.threads) {
    long start = stretch * STRETCH, count = job.length - start < STRETCH ? job.length - start : STRETCH;
    for (long done = 0; done < count; done += BLOCK) {
      long block = count - done < BLOCK ? count - done : BLOCK;
      mix_block(sources, start + done, block, mix);
      to_shorts(mix, 2 * block, frames + 2 * done);
    }
    write_in_turn(stretch, frames, count);
  }
  for (int i = 0; i < job.count; i++) close_source(&sources[i]);
  free(frames);
  return NULL;
}

static void complete(Cue *cue) {
  SF_INFO info = {0};
  SNDFILE *file = sf_open(cue->path, SFM_READ, &info);
  if (!file) die("can't open", cue->path);
  if (cue->frames == 0) cue->frames = (long)info.frames * RATE / info.samplerate;
  sf_close(file);
}

static void read_job(const char *path) {
  FILE *text = fopen(path, "r");
  if (!text || fscanf(text, "%ld", &job.length) != 1) die("no job in", path);
  for (; job.count < CUES; job.count++) {
    Cue *cue = &job.cues[job.count];
    if (fscanf(text, "%ld %ld %ld %ld %f %511s", &cue->start, &cue->frames, &cue->fade_in, &cue->fade_out, &cue->volume,
               cue->path) != 6)
      break;
    complete(cue);
  }
  fclose(text);
}

int main(int count, char **arguments) {
  if (count != 4) die("usage", "reference THREADS JOB OUT");
  const char *ending = strrchr(arguments[3], '.');
  int container = ending && strcmp(ending, ".flac") == 0 ? SF_FORMAT_FLAC : SF_FORMAT_WAV;
  SF_INFO info = {.samplerate = RATE, .channels = 2, .format = container | SF_FORMAT_PCM_16};
  pthread_t threads[THREADS];
  job.threads = atoi(arguments[1]) == 2 ? 2 : 1;
  read_job(arguments[2]);
  job.out = sf_open(arguments[3], SFM_WRITE, &info);
  if (!job.out) die("can't write", arguments[3]);
  for (intptr_t i = 1; i < job.threads; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  work((void *)0);
  for (int i = 1; i < job.threads; i++) pthread_join(threads[i], NULL);
  return sf_close(job.out) == 0 ? 0 : 1;
}
