#pragma once

#include <pulse/pulseaudio.h>
#include <stdbool.h>

/// Why libpulse can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any other
/// function of this module is called.
const char *prosper_pulse_failure(void);
