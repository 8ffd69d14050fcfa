#pragma once

#include <systemd/sd-bus.h>
#include <stdbool.h>

/// Whether libsystemd can be loaded, which the first call tries. Ask before any other function of this module is called.
bool prosper_systemd_is_loaded(void);
