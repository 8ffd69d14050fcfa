import Glibc
import Synchronization

/// Wakes a waiting thread from another thread. Calls that nobody waits for are remembered as one.
///
/// It uses a pipe and `poll`, which wait by the monotonic clock: changes of the wall clock don't affect them. Any
/// thread may call; one thread at a time waits.
package final class WakeUp: Sendable {
  /// The two ends of a pipe; negative if no file descriptors were left.
  private let (readEnd, writeEnd): (Int32, Int32)
  /// Whether a call is waiting to be noticed. Further calls then need no system call.
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
      // Without a pipe, the wait returns every few milliseconds, and the caller checks its condition.
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
    // Without a pipe, the wait returns now and then, and the caller checks its condition.
    let milliseconds = min(max(0, seconds) * 1_000, readEnd < 0 ? 50 : 1e9)
    _ = poll(&asked, 2, Int32(milliseconds.rounded(.up)))
    if asked[0].revents != 0 { takeCall() }
  }

  /// Takes the call from the pipe. A call that comes before `isCalled` is reset writes nothing: what it announces was
  /// stored before, and the caller of `wait` sees it.
  private func takeCall() {
    var one: UInt8 = 0
    _ = read(readEnd, &one, 1)
    _ = isCalled.exchange(false, ordering: .acquiringAndReleasing)
  }
}
