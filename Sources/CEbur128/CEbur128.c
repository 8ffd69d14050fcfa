#include "CEbur128.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(ebur128_state *, ebur128_init, (unsigned int channels, unsigned long samplerate, int mode), \
    (channels, samplerate, mode)) \
  FUNCTION(void, ebur128_destroy, (ebur128_state **state), (state)) \
  FUNCTION(int, ebur128_add_frames_float, (ebur128_state *state, const float *samples, size_t frames), \
    (state, samples, frames)) \
  FUNCTION(int, ebur128_loudness_global, (ebur128_state *state, double *loudness), (state, loudness)) \
  FUNCTION(int, ebur128_loudness_momentary, (ebur128_state *state, double *loudness), (state, loudness)) \
  FUNCTION(int, ebur128_loudness_shortterm, (ebur128_state *state, double *loudness), (state, loudness)) \
  FUNCTION(int, ebur128_loudness_window, (ebur128_state *state, unsigned long window, double *loudness), \
    (state, window, loudness)) \
  FUNCTION(int, ebur128_loudness_range, (ebur128_state *state, double *range), (state, range)) \
  FUNCTION(int, ebur128_true_peak, (ebur128_state *state, unsigned int channel, double *peak), (state, channel, peak))

LIBRARY("libebur128.so.1", prosper_ebur128_failure, FUNCTIONS)
