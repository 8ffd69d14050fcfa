// The type checks of libcurl's macros reject an option that is a variable.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>

// libcurl and its thirty dependencies are loaded on first use, so that sessions without downloads start faster.
static inline void *prosper_curl_symbol(const char *name) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : 0;
}

#define PROSPER_CURL(name) ((__typeof__(&name))prosper_curl_symbol(#name))

// Call it once before all others. Returns false if libcurl can't be loaded.
static inline int prosper_curl_begin(void) {
  __typeof__(&curl_global_init) begin = PROSPER_CURL(curl_global_init);
  return begin && begin(CURL_GLOBAL_ALL) == CURLE_OK;
}

static inline CURL *prosper_curl_open(void) { return PROSPER_CURL(curl_easy_init)(); }

static inline CURLcode prosper_curl_perform(CURL *handle) { return PROSPER_CURL(curl_easy_perform)(handle); }

static inline void prosper_curl_close(CURL *handle, struct curl_slist *lines) {
  PROSPER_CURL(curl_easy_cleanup)(handle);
  PROSPER_CURL(curl_slist_free_all)(lines);
}

static inline struct curl_slist *prosper_curl_append(struct curl_slist *lines, const char *line) {
  return PROSPER_CURL(curl_slist_append)(lines, line);
}

static inline const char *prosper_curl_words(CURLcode code) { return PROSPER_CURL(curl_easy_strerror)(code); }

// Swift can't import variadic functions; each of these functions passes one type of value.

static inline CURLcode prosper_curl_set_number(CURL *handle, CURLoption option, long value) {
  return PROSPER_CURL(curl_easy_setopt)(handle, option, value);
}

static inline CURLcode prosper_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return PROSPER_CURL(curl_easy_setopt)(handle, option, value);
}

static inline CURLcode prosper_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return PROSPER_CURL(curl_easy_setopt)(handle, option, value);
}

static inline CURLcode prosper_curl_set_lines(CURL *handle, struct curl_slist *lines) {
  return PROSPER_CURL(curl_easy_setopt)(handle, CURLOPT_HTTPHEADER, lines);
}

static inline CURLcode prosper_curl_set_receiver(CURL *handle, CURLoption option, curl_write_callback receiver) {
  return PROSPER_CURL(curl_easy_setopt)(handle, option, receiver);
}

static inline CURLcode prosper_curl_set_opener(CURL *handle, curl_opensocket_callback opener) {
  return PROSPER_CURL(curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
}

// Before libcurl 7.85 the protocols were bits.
static inline CURLcode prosper_curl_only_http(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode code = PROSPER_CURL(curl_easy_setopt)(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  return code != CURLE_OK ? code : PROSPER_CURL(curl_easy_setopt)(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  CURLcode code = PROSPER_CURL(curl_easy_setopt)(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  return code != CURLE_OK
             ? code : PROSPER_CURL(curl_easy_setopt)(handle, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline long prosper_curl_number(CURL *handle, CURLINFO info) {
  long value = 0;
  return PROSPER_CURL(curl_easy_getinfo)(handle, info, &value) == CURLE_OK ? value : 0;
}

// Null if there is none; valid until the handle's next transfer.
static inline const char *prosper_curl_text(CURL *handle, CURLINFO info) {
  char *value = 0;
  return PROSPER_CURL(curl_easy_getinfo)(handle, info, &value) == CURLE_OK ? value : 0;
}
