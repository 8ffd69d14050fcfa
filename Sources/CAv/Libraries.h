#pragma once

#include "CAv.h"
#include "CLibrary.h"

// A library of the version of its header: the structures of others differ.
#define VERSION(NAME, MAJOR) NAME ".so." AV_STRINGIFY(MAJOR)

const char *prosper_avcodec_failure(void);
const char *prosper_avformat_failure(void);
const char *prosper_avutil_failure(void);
