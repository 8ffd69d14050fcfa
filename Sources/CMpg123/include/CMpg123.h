#pragma once

#include <mpg123.h>
#include <stdbool.h>

/// Why libmpg123 can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any other
/// function of this module is called.
const char *prosper_mpg123_failure(void);
