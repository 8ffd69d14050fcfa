#pragma once

#include <pulse/pulseaudio.h>
#include <stdbool.h>

/// Whether libpulse can be loaded, which the first call tries. Ask before any other function of this module is called.
bool prosper_pulse_is_loaded(void);
