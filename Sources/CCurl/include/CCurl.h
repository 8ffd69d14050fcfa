#pragma once

// The type checks of libcurl's macros reject an option that is a variable.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

/// Why libcurl can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any other
/// function of this module is called.
const char *prosper_curl_failure(void);

// Swift can't import variadic functions; each of these functions passes one type of value.

CURLcode prosper_curl_set_number(CURL *handle, CURLoption option, long value);
CURLcode prosper_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode prosper_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode prosper_curl_set_lines(CURL *handle, struct curl_slist *lines);
CURLcode prosper_curl_set_receiver(CURL *handle, CURLoption option, curl_write_callback receiver);
CURLcode prosper_curl_set_opener(CURL *handle, curl_opensocket_callback opener);
CURLcode prosper_curl_only_http(CURL *handle);
long prosper_curl_number(CURL *handle, CURLINFO info);
/// Null if there is none; valid until the handle's next transfer.
const char *prosper_curl_text(CURL *handle, CURLINFO info);
