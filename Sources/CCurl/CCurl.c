#include "CCurl.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(void, curl_easy_cleanup, (CURL *handle), (handle)) \
  FUNCTION(CURL *, curl_easy_init, (void), ()) \
  FUNCTION(CURLcode, curl_easy_perform, (CURL *handle), (handle)) \
  FUNCTION(const char *, curl_easy_strerror, (CURLcode code), (code)) \
  FUNCTION(CURLcode, curl_global_init, (long flags), (flags)) \
  FUNCTION(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *line), (list, line)) \
  FUNCTION(void, curl_slist_free_all, (struct curl_slist *list), (list))

// curl.h also defines these functions as macros, to count the arguments.
#undef curl_easy_getinfo
#undef curl_easy_setopt
#define VARIADIC_FUNCTIONS(FUNCTION) FUNCTION(CURLcode, curl_easy_getinfo,,) FUNCTION(CURLcode, curl_easy_setopt,,)

#define ALL_FUNCTIONS(FUNCTION) FUNCTIONS(FUNCTION) VARIADIC_FUNCTIONS(FUNCTION)

LIBRARY_LOADING("libcurl.so.4", prosper_curl_failure, ALL_FUNCTIONS)
FUNCTIONS(LIBRARY_FUNCTION)

CURLcode prosper_curl_set_number(CURL *handle, CURLoption option, long value) {
  return functions.curl_easy_setopt(handle, option, value);
}

CURLcode prosper_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return functions.curl_easy_setopt(handle, option, value);
}

CURLcode prosper_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return functions.curl_easy_setopt(handle, option, value);
}

CURLcode prosper_curl_set_lines(CURL *handle, struct curl_slist *lines) {
  return functions.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, lines);
}

CURLcode prosper_curl_set_receiver(CURL *handle, CURLoption option, curl_write_callback receiver) {
  return functions.curl_easy_setopt(handle, option, receiver);
}

CURLcode prosper_curl_set_opener(CURL *handle, curl_opensocket_callback opener) {
  return functions.curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
}

CURLcode prosper_curl_only_http(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode code = functions.curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  return code != CURLE_OK ? code : functions.curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else  // The protocols were bits.
  long bits = CURLPROTO_HTTP | CURLPROTO_HTTPS;
  CURLcode code = functions.curl_easy_setopt(handle, CURLOPT_PROTOCOLS, bits);
  return code != CURLE_OK ? code : functions.curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, bits);
#endif
}

long prosper_curl_number(CURL *handle, CURLINFO info) {
  long value = 0;
  return functions.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

const char *prosper_curl_text(CURL *handle, CURLINFO info) {
  char *value = 0;
  return functions.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}
