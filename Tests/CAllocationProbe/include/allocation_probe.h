#pragma once

#include <stdbool.h>

// Counts the calling thread's use of the heap while the probe is armed. For tests only.

void allocation_probe_arm(void);

/// Disarms the probe and returns how often the thread has called malloc, calloc, realloc, aligned_alloc, posix_memalign
/// and free.
long allocation_probe_disarm(void);

/// False if a sanitizer replaces the heap: then nothing is counted.
bool allocation_probe_counts(void);
