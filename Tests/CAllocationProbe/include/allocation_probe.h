#pragma once

#include <stdbool.h>

// Counts the calling thread's use of the heap while it is armed. Tests only.

void allocation_probe_arm(void);

/// Disarms and returns how many calls of malloc, calloc, realloc, aligned_alloc, posix_memalign and free the thread has made.
long allocation_probe_disarm(void);

/// False where a sanitizer keeps a heap of its own: nothing is counted there.
bool allocation_probe_counts(void);
