#include "allocation_probe.h"

#include <errno.h>
#include <stddef.h>

static _Thread_local long calls;
static _Thread_local int armed;

void allocation_probe_arm(void) {
  calls = 0;
  armed = 1;
}

long allocation_probe_disarm(void) {
  armed = 0;
  return calls;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

// A sanitizer has its own heap, which must stay in place.
#ifdef SANITIZED
bool allocation_probe_counts(void) { return false; }
#else
bool allocation_probe_counts(void) { return true; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void count(void) {
  if (armed) calls++;
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count();
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count();
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

void free(void *memory) {
  count();
  __libc_free(memory);
}
#endif
