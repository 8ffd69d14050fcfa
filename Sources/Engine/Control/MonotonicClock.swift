import Glibc

/// The time of the system's monotonic clock in nanoseconds. Changes of the date don't affect it, and it stops while the
/// computer sleeps.
@Sendable package func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
