#pragma once

#include <systemd/sd-bus.h>
#include <stdbool.h>

/// Why libsystemd can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any other
/// function of this module is called.
const char *prosper_systemd_failure(void);
