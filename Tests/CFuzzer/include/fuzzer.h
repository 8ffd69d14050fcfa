#pragma once

#include <stddef.h>
#include <stdint.h>

// From libFuzzer, which `-sanitize=fuzzer` links.

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
