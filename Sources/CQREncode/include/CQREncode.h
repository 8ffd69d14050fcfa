#pragma once

#include <qrencode.h>

/// Why libqrencode can't be loaded, as the text of dlerror; null if it is loaded, which each call tries. Ask before any other
/// function of this module is called.
const char *prosper_qrencode_failure(void);
