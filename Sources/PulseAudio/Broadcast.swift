internal import Glibc

/// A condition variable whose waits have a deadline of the monotonic clock. A call wakes every thread that waits.
///
/// libpulse's own wait has no deadline. A timer of its main loop would serve as one, but wakes the loop's thread each
/// time it is set and each time it is freed.
///
/// `@unchecked Sendable` holds because the mutex guards the counter, and both pointers never change.
final class Broadcast: CallbackTarget, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Calls so far. Under the mutex.
  private var calls: UInt64 = 0

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Wakes all waiting threads. From any thread; blocks only while another thread is in a function of this object.
  func call() {
    pthread_mutex_lock(mutex)
    calls &+= 1
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// The number of calls so far. A `wait` for the next one returns at once if there has been one since.
  var count: UInt64 {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return calls
  }

  /// Waits for a call after the first `count`, until `deadline` at the latest.
  ///
  /// - Parameter deadline: microseconds of the monotonic clock.
  func wait(after count: UInt64, until deadline: UInt64) {
    var moment = timespec(tv_sec: Int(deadline / 1_000_000), tv_nsec: Int(deadline % 1_000_000) * 1_000)
    pthread_mutex_lock(mutex)
    while calls == count, pthread_cond_timedwait(condition, mutex, &moment) == 0 {}
    pthread_mutex_unlock(mutex)
  }
}
