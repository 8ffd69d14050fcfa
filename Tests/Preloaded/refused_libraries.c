// When preloaded into a program, this library simulates a system without some libraries: the program can't load those
// whose file names are in REFUSED_LIBRARIES, separated by spaces.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void *load(const char *, int);

void *dlopen(const char *name, int flags) {
  const char *refused = getenv("REFUSED_LIBRARIES");
  if (name && refused && strstr(refused, name)) return 0;
  return ((load *)dlsym(RTLD_NEXT, "dlopen"))(name, flags);
}
