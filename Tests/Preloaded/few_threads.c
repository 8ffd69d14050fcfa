// When preloaded into a program, this library simulates a system without free threads: after FEW_THREADS threads, the
// program cannot start another one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static atomic_int started;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  const char *most = getenv("FEW_THREADS");
  if (most && atoi(most) <= atomic_fetch_add(&started, 1)) return EAGAIN;
  return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, run, argument);
}
