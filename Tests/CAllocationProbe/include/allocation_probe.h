#pragma once

// Counts the calling thread's use of the heap while it is armed. Tests only.

void allocation_probe_arm(void);

/// Disarms and returns how many calls of malloc, calloc, realloc, aligned_alloc, posix_memalign and free the thread has made.
long allocation_probe_disarm(void);
