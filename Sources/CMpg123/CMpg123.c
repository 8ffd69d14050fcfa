#include "CMpg123.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(int, mpg123_close, (mpg123_handle *mh), (mh)) \
  FUNCTION(void, mpg123_delete, (mpg123_handle *mh), (mh)) \
  FUNCTION(int, mpg123_format, (mpg123_handle *mh, long rate, int channels, int encodings), \
    (mh, rate, channels, encodings)) \
  FUNCTION(int, mpg123_format_none, (mpg123_handle *mh), (mh)) \
  FUNCTION(off_t, mpg123_framepos, (mpg123_handle *mh), (mh)) \
  FUNCTION(int, mpg123_info2, (mpg123_handle *mh, struct mpg123_frameinfo2 *mi), (mh, mi)) \
  FUNCTION(mpg123_handle *, mpg123_new, (const char *decoder, int *error), (decoder, error)) \
  FUNCTION(int, mpg123_open_handle, (mpg123_handle *mh, void *handle), (mh, handle)) \
  FUNCTION(int, mpg123_param2, (mpg123_handle *mh, int type, long value, double fvalue), (mh, type, value, fvalue)) \
  FUNCTION(int, mpg123_read, (mpg123_handle *mh, void *memory, size_t size, size_t *done), (mh, memory, size, done)) \
  FUNCTION(int, mpg123_replace_reader_handle, \
    (mpg123_handle *mh, mpg123_ssize_t (*r_read)(void *, void *, size_t), off_t (*r_lseek)(void *, off_t, int), \
      void (*cleanup)(void *)), \
    (mh, r_read, r_lseek, cleanup)) \
  FUNCTION(off_t, mpg123_seek, (mpg123_handle *mh, off_t offset, int whence), (mh, offset, whence)) \
  FUNCTION(int, mpg123_set_index, (mpg123_handle *mh, off_t *offsets, off_t step, size_t fill), \
    (mh, offsets, step, fill))

LIBRARY("libmpg123.so.0", prosper_mpg123_failure, FUNCTIONS)
