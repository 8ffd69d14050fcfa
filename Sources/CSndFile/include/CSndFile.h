#pragma once

#include <sndfile.h>
#include <stdbool.h>

/// Why libsndfile can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any other
/// function of this module is called.
const char *prosper_sndfile_failure(void);
