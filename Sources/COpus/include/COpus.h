#pragma once

#include <opus/opus_multistream.h>
#include <stdbool.h>

/// Whether libopus can be loaded, which the first call tries. Ask before any other function of this module is called.
bool prosper_opus_is_loaded(void);

/// Sets the gain of a decoder's output, in 1/256 dB. Returns an error code.
int prosper_opus_set_gain(OpusMSDecoder *decoder, opus_int32 gain);
