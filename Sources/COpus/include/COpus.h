#pragma once

#include <opus/opus_multistream.h>
#include <stdbool.h>

/// Why libopus can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any other
/// function of this module is called.
const char *prosper_opus_failure(void);

/// Sets the gain of a decoder's output, in 1/256 dB. Returns an error code.
int prosper_opus_set_gain(OpusMSDecoder *decoder, opus_int32 gain);
