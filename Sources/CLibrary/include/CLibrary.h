#pragma once

#include <pthread.h>
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
// IS_LOADED() loads the library, too, and returns whether it exists and has all these functions. If it returns false,
// none of them may be called. All functions can be called on any thread.
#define LIBRARY(FILE, IS_LOADED, FUNCTIONS) \
  LIBRARY_LOADING(FILE, IS_LOADED, FUNCTIONS) \
  FUNCTIONS(LIBRARY_FUNCTION)

// Only loads the functions, as the members of `functions`: variadic functions must be called there.
#define LIBRARY_LOADING(FILE, IS_LOADED, FUNCTIONS) \
  static const char *const names[] = {FUNCTIONS(LIBRARY_NAME)}; \
  static union { \
    struct { FUNCTIONS(LIBRARY_MEMBER) }; \
    void *all[sizeof(names) / sizeof(names[0])]; \
  } functions; \
  static bool is_loaded; \
  static void load(void) { is_loaded = library_load(FILE, names, functions.all, sizeof(names) / sizeof(names[0])); } \
  static void load_once(void) { \
    static pthread_once_t once = PTHREAD_ONCE_INIT; \
    pthread_once(&once, load); \
  } \
  bool IS_LOADED(void) { \
    load_once(); \
    return is_loaded; \
  }

#define LIBRARY_NAME(result, name, parameters, arguments) #name,
#define LIBRARY_MEMBER(result, name, parameters, arguments) __typeof__(&name) name;
#define LIBRARY_FUNCTION(result, name, parameters, arguments) \
  __attribute__((visibility("hidden"))) result name parameters { \
    load_once(); \
    return functions.name arguments; \
  }

/// Loads a library for the rest of the process, and finds its functions. False if the library or a function is missing.
bool library_load(const char *file, const char *const names[], void *functions[], size_t count);
