// When preloaded into a program, this library simulates a system without free threads: after FEW_THREADS threads, the
// program cannot start another one. Threads of shared libraries, such as those of the Swift pool, do not count.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static atomic_int started;

static int is_of_program(void *function) {
  Dl_info info;
  return dladdr(function, &info) && info.dli_fname && !strstr(info.dli_fname, ".so");
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  const char *most = getenv("FEW_THREADS");
  if (most && is_of_program((void *)run) && atoi(most) <= atomic_fetch_add(&started, 1)) return EAGAIN;
  return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, run, argument);
}
