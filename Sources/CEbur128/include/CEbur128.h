#pragma once

#include <ebur128.h>
#include <stdbool.h>

/// Why libebur128 can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any
/// other function of this module is called.
const char *prosper_ebur128_failure(void);
