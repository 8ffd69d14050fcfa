#pragma once

#include <sndfile.h>
#include <stdbool.h>

/// Whether libsndfile can be loaded, which the first call tries. Ask before any other function of this module is called.
bool prosper_sndfile_is_loaded(void);
