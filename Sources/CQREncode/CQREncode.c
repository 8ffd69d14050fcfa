#include "CQREncode.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(QRcode *, QRcode_encodeString8bit, (const char *string, int version, QRecLevel level), \
    (string, version, level)) \
  FUNCTION(void, QRcode_free, (QRcode *code), (code))

LIBRARY("libqrencode.so.4", prosper_qrencode_failure, FUNCTIONS)
