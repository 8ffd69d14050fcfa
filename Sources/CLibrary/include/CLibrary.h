#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// A system library that is loaded on first use. Linked in the usual way, libpulse and the others would load thirty
// libraries whenever prosper starts, even for `prosper --version`.
//
// LIBRARY defines the functions of a library that prosper calls, under their own names: each one calls the function of
// the same name in the library, and loads the library before the first call. FUNCTIONS is a macro that lists them as
// FUNCTION(result, name, (parameters), (arguments)). A list that contradicts the library's header does not compile. The
// definitions are hidden, so the calls between the libraries themselves never reach them.
//
// FAILURE() loads the library, too, and returns null if it exists and has all these functions. Otherwise it returns the
// text of dlerror, which may be empty, and none of the functions may be called. The next call tries again, because the
// cause may have been a shortage. All functions can be called on any thread.
#define LIBRARY(FILE, FAILURE, FUNCTIONS) \
  LIBRARY_LOADING(FILE, FAILURE, FUNCTIONS) \
  FUNCTIONS(LIBRARY_FUNCTION)

// Only loads the functions, as the members of `functions`: variadic functions must be called there.
#define LIBRARY_LOADING(FILE, FAILURE, FUNCTIONS) \
  static const char *const names[] = {FUNCTIONS(LIBRARY_NAME)}; \
  static union { \
    struct { FUNCTIONS(LIBRARY_MEMBER) }; \
    void *all[sizeof(names) / sizeof(names[0])]; \
  } functions; \
  static struct library library = {FILE, names, functions.all, sizeof(names) / sizeof(names[0])}; \
  const char *FAILURE(void) { return library_failure(&library); }

#define LIBRARY_NAME(result, name, parameters, arguments) #name,
#define LIBRARY_MEMBER(result, name, parameters, arguments) __typeof__(&name) name;
#define LIBRARY_FUNCTION(result, name, parameters, arguments) \
  __attribute__((visibility("hidden"))) result name parameters { \
    library_failure(&library); \
    return functions.name arguments; \
  }

/// A library and the functions of it that prosper calls.
struct library {
  const char *file;
  const char *const *names;
  void **functions;
  size_t count;
  atomic_bool is_loaded;
  const char *failure;
};

/// Loads a library for the rest of the process, and finds its functions.
const char *library_failure(struct library *library);
