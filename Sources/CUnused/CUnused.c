#include "CUnused.h"

#include <stdlib.h>

// FlyingFox contains a handler that forwards requests, and with it Foundation's networking, which refers to these
// functions of libcurl. prosper uses neither. Linked in the usual way, libcurl and thirty other libraries would be loaded
// at every start. With these definitions, scripts/build links without libcurl. Only the command line depends on them:
// another program that contains prosper's player may use Foundation's networking.
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
