#include "CLibrary.h"

#include <dlfcn.h>

bool library_load(const char *file, const char *const names[], void *functions[], size_t count) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  for (size_t i = 0; i < count; i++) {
    functions[i] = dlsym(library, names[i]);
    if (!functions[i]) return false;
  }
  return true;
}
