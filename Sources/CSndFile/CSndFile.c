#include "CSndFile.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(int, sf_close, (SNDFILE *file), (file)) \
  FUNCTION(int, sf_command, (SNDFILE *file, int command, void *data, int size), (file, command, data, size)) \
  FUNCTION(int, sf_error, (SNDFILE *file), (file)) \
  FUNCTION(const char *, sf_error_number, (int number), (number)) \
  FUNCTION(const char *, sf_get_string, (SNDFILE *file, int type), (file, type)) \
  FUNCTION(SNDFILE *, sf_open_virtual, (SF_VIRTUAL_IO *io, int mode, SF_INFO *info, void *data), \
    (io, mode, info, data)) \
  FUNCTION(sf_count_t, sf_readf_float, (SNDFILE *file, float *ptr, sf_count_t frames), (file, ptr, frames)) \
  FUNCTION(sf_count_t, sf_seek, (SNDFILE *file, sf_count_t frames, int whence), (file, frames, whence)) \
  FUNCTION(int, sf_set_string, (SNDFILE *file, int type, const char *text), (file, type, text)) \
  FUNCTION(const char *, sf_strerror, (SNDFILE *file), (file)) \
  FUNCTION(sf_count_t, sf_writef_float, (SNDFILE *file, const float *ptr, sf_count_t frames), (file, ptr, frames)) \
  FUNCTION(sf_count_t, sf_writef_int, (SNDFILE *file, const int *ptr, sf_count_t frames), (file, ptr, frames)) \
  FUNCTION(sf_count_t, sf_writef_short, (SNDFILE *file, const short *ptr, sf_count_t frames), (file, ptr, frames))

LIBRARY("libsndfile.so.1", prosper_sndfile_failure, FUNCTIONS)
