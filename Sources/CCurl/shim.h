// The checks of types would refuse an option that is a variable.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift imports no variadic function; each of these passes one kind of value on.

static inline CURLcode prosper_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode prosper_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode prosper_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode prosper_curl_set_lines(CURL *handle, struct curl_slist *lines) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, lines);
}

static inline CURLcode prosper_curl_set_receiver(CURL *handle, CURLoption option, curl_write_callback receiver) {
  return curl_easy_setopt(handle, option, receiver);
}

static inline CURLcode prosper_curl_set_opener(CURL *handle, curl_opensocket_callback opener) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
}

// Before 7.85 the protocols were bits.
static inline CURLcode prosper_curl_only_http(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  return code != CURLE_OK
             ? code : curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline long prosper_curl_number(CURL *handle, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

// Null where there is none; alive until the handle's next transfer.
static inline const char *prosper_curl_text(CURL *handle, CURLINFO info) {
  char *value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}
