#pragma once

#include <mpg123.h>
#include <stdbool.h>

/// Whether libmpg123 can be loaded, which the first call tries. Ask before any other function of this module is called.
bool prosper_mpg123_is_loaded(void);
