#include "CUnused.h"

#include <stdlib.h>

// FlyingFox contains a handler that forwards requests, and with it the networking part of Foundation, which refers to
// these functions of libcurl. prosper uses neither. Linked in the usual way, libcurl and thirty other libraries would be
// loaded whenever prosper starts; with these definitions, which scripts/build relies on, it needs none of them. Only the
// command line has the definitions: another program that contains prosper's player may use Foundation's networking.
#define UNUSED(name) \
  __attribute__((visibility("hidden"))) void name(void) { abort(); }

UNUSED(curl_easy_getinfo)
UNUSED(curl_easy_pause)
UNUSED(curl_easy_setopt)
UNUSED(curl_free)
UNUSED(curl_multi_add_handle)
UNUSED(curl_multi_assign)
UNUSED(curl_multi_cleanup)
UNUSED(curl_multi_info_read)
UNUSED(curl_multi_init)
UNUSED(curl_multi_remove_handle)
UNUSED(curl_multi_setopt)
UNUSED(curl_multi_socket_action)
UNUSED(curl_url)
UNUSED(curl_url_get)
UNUSED(curl_url_set)
UNUSED(curl_version)
UNUSED(curl_version_info)
