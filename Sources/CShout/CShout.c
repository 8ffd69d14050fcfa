#include "CShout.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(void, shout_init, (void), ()) \
  FUNCTION(shout_t *, shout_new, (void), ()) \
  FUNCTION(void, shout_free, (shout_t *self), (self)) \
  FUNCTION(const char *, shout_get_error, (shout_t *self), (self)) \
  FUNCTION(int, shout_get_connected, (shout_t *self), (self)) \
  FUNCTION(int, shout_set_host, (shout_t *self, const char *host), (self, host)) \
  FUNCTION(int, shout_set_port, (shout_t *self, unsigned short port), (self, port)) \
  FUNCTION(int, shout_set_agent, (shout_t *self, const char *agent), (self, agent)) \
  FUNCTION(int, shout_set_tls, (shout_t *self, int mode), (self, mode)) \
  FUNCTION(int, shout_set_ca_file, (shout_t *self, const char *file), (self, file)) \
  FUNCTION(int, shout_set_user, (shout_t *self, const char *user), (self, user)) \
  FUNCTION(int, shout_set_password, (shout_t *self, const char *password), (self, password)) \
  FUNCTION(int, shout_set_mount, (shout_t *self, const char *mount), (self, mount)) \
  FUNCTION(int, shout_set_meta, (shout_t *self, const char *name, const char *value), (self, name, value)) \
  FUNCTION(int, shout_set_public, (shout_t *self, unsigned int is_public), (self, is_public)) \
  FUNCTION(int, shout_set_content_format, (shout_t *self, unsigned int format, unsigned int usage, const char *codecs), \
    (self, format, usage, codecs)) \
  FUNCTION(int, shout_set_nonblocking, (shout_t *self, unsigned int value), (self, value)) \
  FUNCTION(int, shout_open, (shout_t *self), (self)) \
  FUNCTION(int, shout_close, (shout_t *self), (self)) \
  FUNCTION(ssize_t, shout_send_raw, (shout_t *self, const unsigned char *data, size_t count), (self, data, count)) \
  FUNCTION(int, shout_get_errno, (shout_t *self), (self)) \
  FUNCTION(ssize_t, shout_queuelen, (shout_t *self), (self)) \
  FUNCTION(shout_metadata_t *, shout_metadata_new, (void), ()) \
  FUNCTION(void, shout_metadata_free, (shout_metadata_t *self), (self)) \
  FUNCTION(int, shout_metadata_add, (shout_metadata_t *self, const char *name, const char *value), (self, name, value)) \
  FUNCTION(int, shout_set_metadata_utf8, (shout_t *self, shout_metadata_t *metadata), (self, metadata))

LIBRARY("libshout.so.3", prosper_shout_failure, FUNCTIONS)
