// Preloaded into a program, this library shifts the clocks of that program by as many seconds as the file named by
// CLOCK_SHIFT says at that moment. "3600 0" is a wall clock that was set; "3600 3600" is a computer that slept for an
// hour, where the clock that counts sleep has advanced, too. The monotonic clock never changes, as in the kernel.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// This runs before a sanitizer is ready.
#define PLAIN __attribute__((disable_sanitizer_instrumentation))

PLAIN static long shift(clockid_t clock) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE && clock != CLOCK_BOOTTIME) return 0;
  const char *path = getenv("CLOCK_SHIFT");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return 0;
  char text[64] = {0};
  long wall = 0, slept = 0;
  if (0 < read(file, text, sizeof text - 1)) sscanf(text, "%ld %ld", &wall, &slept);
  close(file);
  return clock == CLOCK_BOOTTIME ? slept : wall;
}

PLAIN int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0) now->tv_sec += shift(clock);
  return result;
}

PLAIN int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  int result = clock_gettime(CLOCK_REALTIME, &exact);
  *now = (struct timeval){.tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000};
  return result;
}

PLAIN time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}
