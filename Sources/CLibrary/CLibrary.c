#include "CLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Returns what dlerror says about the call before.
static const char *error_text(void) {
  const char *text = dlerror();
  return text ? text : "";
}

// Loads the library, and finds its functions. Returns what failed; null if nothing did.
static const char *load(struct library *library) {
  void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return error_text();
  for (size_t i = 0; i < library->count; i++) {
    library->functions[i] = dlsym(handle, library->names[i]);
    if (!library->functions[i]) return error_text();
  }
  return NULL;
}

const char *library_failure(struct library *library) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  if (atomic_load_explicit(&library->is_loaded, memory_order_acquire)) return NULL;
  pthread_mutex_lock(&lock);
  const char *failure = NULL;
  if (!atomic_load_explicit(&library->is_loaded, memory_order_relaxed)) {
    failure = load(library);
    if (!failure) atomic_store_explicit(&library->is_loaded, true, memory_order_release);
    // The text of dlerror is valid until the next call only. Other threads may use the older copy, so it stays.
    if (failure && (!library->failure || strcmp(failure, library->failure))) library->failure = strdup(failure);
    if (failure) failure = library->failure ? library->failure : "Cannot allocate memory";
  }
  pthread_mutex_unlock(&lock);
  return failure;
}
