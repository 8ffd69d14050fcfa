#pragma once

#include "CAv.h"
#include "CLibrary.h"

// A library of the version of its header: the structures of others differ.
#define VERSION(NAME, MAJOR) NAME ".so." AV_STRINGIFY(MAJOR)

bool prosper_avcodec_is_loaded(void);
bool prosper_avformat_is_loaded(void);
bool prosper_avutil_is_loaded(void);
