#pragma once

#include <stddef.h>
#include <stdint.h>

// Of libFuzzer, which is linked in where `-sanitize=fuzzer` is asked for.

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
