#pragma once

#include <soxr.h>
#include <stdbool.h>

/// Whether libsoxr can be loaded, which the first call tries. Ask before any other function of this module is called.
bool prosper_soxr_is_loaded(void);
