import Glibc
import Synchronization

/// Wakes a waiting thread from another thread. If no thread waits, the next wait returns at once, however often `call`
/// was called.
///
/// It uses a pipe and `poll`, whose timeouts follow the monotonic clock, so changes of the wall clock don't affect
/// them. Any thread may call `call`; only one thread at a time may wait.
package final class WakeUp: Sendable {
  /// The two ends of a pipe; negative if no file descriptors were left.
  private let (readEnd, writeEnd): (Int32, Int32)
  /// Whether there has been a call since the last wait. Then further calls need no system call.
  private let isCalled = Atomic<Bool>(false)

  package init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) != 0 { ends = [-1, -1] }
    for end in ends where 0 <= end {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit { for end in [readEnd, writeEnd] where 0 <= end { close(end) } }

  /// Wakes the waiting thread, or the next one that waits. Never waits.
  package func call() {
    if isCalled.exchange(true, ordering: .acquiringAndReleasing) { return }
    var one: UInt8 = 1
    _ = write(writeEnd, &one, 1)
  }

  /// Waits for a call.
  package func wait() { while !wait(seconds: 3_600) {} }

  /// Waits for a call for at most `seconds`, rounded up to milliseconds; 0 only checks for one.
  ///
  /// - Returns: false if nobody called in that time.
  @discardableResult
  package func wait(seconds: Double) -> Bool {
    wait(until: SuspendingClock().now + .seconds(min(max(0, seconds), 1e6)))
  }

  /// Waits for a call until `moment`.
  ///
  /// - Returns: false if nobody called before it.
  @discardableResult
  package func wait(until moment: SuspendingClock.Instant) -> Bool {
    while true {
      let left = max(.zero, moment - SuspendingClock().now) / .milliseconds(1)
      let milliseconds = Int32(min(left.rounded(.up), 1e9))
      // Without a pipe, the wait returns after a few milliseconds as if there had been a call. Callers check a
      // condition after each wait.
      if readEnd < 0 { return poll(nil, 0, min(milliseconds, 5)) == 0 }
      var ask = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
      let answer = poll(&ask, 1, milliseconds)
      if 0 < answer {
        takeCall()
        return true
      }
      // A signal, or a stop and continuation of the process, interrupts `poll`: wait for the rest.
      if answer == 0 { return false }
    }
  }

  /// Waits for a call, for `events` (of `poll`) on a descriptor, or for `seconds`, whichever comes first. It may return
  /// early.
  package func wait(seconds: Double, or events: Int16, of descriptor: Int32) {
    var asked = [
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: events, revents: 0),
    ]
    // Without a pipe, the wait returns after 50 ms at the latest, and the caller checks its condition.
    let milliseconds = min(max(0, seconds) * 1_000, readEnd < 0 ? 50 : 1e9)
    _ = poll(&asked, 2, Int32(milliseconds.rounded(.up)))
    if asked[0].revents != 0 { takeCall() }
  }

  /// Removes the call from the pipe. A further `call` before `isCalled` is reset writes nothing. That is correct,
  /// because what it announces was stored before, and the waiting thread reads it after this function.
  private func takeCall() {
    var one: UInt8 = 0
    _ = read(readEnd, &one, 1)
    _ = isCalled.exchange(false, ordering: .acquiringAndReleasing)
  }
}
