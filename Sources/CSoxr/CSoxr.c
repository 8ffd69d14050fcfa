#include "CSoxr.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(soxr_t, soxr_create, \
    (double input_rate, double output_rate, unsigned int channels, soxr_error_t *error, const soxr_io_spec_t *io, \
      const soxr_quality_spec_t *quality, const soxr_runtime_spec_t *runtime), \
    (input_rate, output_rate, channels, error, io, quality, runtime)) \
  FUNCTION(void, soxr_delete, (soxr_t resampler), (resampler)) \
  FUNCTION(soxr_error_t, soxr_process, \
    (soxr_t resampler, soxr_in_t in, size_t ilen, size_t *idone, soxr_out_t out, size_t olen, size_t *odone), \
    (resampler, in, ilen, idone, out, olen, odone)) \
  FUNCTION(soxr_quality_spec_t, soxr_quality_spec, (unsigned long recipe, unsigned long flags), (recipe, flags))

LIBRARY("libsoxr.so.0", prosper_soxr_failure, FUNCTIONS)
