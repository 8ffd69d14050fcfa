#pragma once

#include <shout/shout.h>

/// Why libshout can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any other
/// function of this module is called.
const char *prosper_shout_failure(void);
