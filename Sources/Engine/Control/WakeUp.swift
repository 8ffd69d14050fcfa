import Glibc

/// A wake-up call from one thread to another. Calls while nobody waits are remembered as one.
///
/// A pipe and `poll`: it waits by the monotonic clock, whatever is done to the wall clock meanwhile.
package final class WakeUp: Sendable {
  /// Negative when there were no file descriptors left.
  private let (readEnd, writeEnd): (Int32, Int32)

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

  /// Never waits: a pipe that is full holds a call already.
  package func call() {
    var one: UInt8 = 1
    _ = write(writeEnd, &one, 1)
  }

  package func wait() { while !wait(seconds: 3_600) {} }

  /// - Returns: false when nobody called within that many seconds, to the next millisecond.
  @discardableResult
  package func wait(seconds: Double) -> Bool {
    wait(until: SuspendingClock().now + .seconds(min(max(0, seconds), 1e6)))
  }

  /// - Returns: false when nobody called before the moment.
  @discardableResult
  package func wait(until moment: SuspendingClock.Instant) -> Bool {
    while true {
      let left = max(.zero, moment - SuspendingClock().now) / .milliseconds(1)
      let milliseconds = Int32(min(left.rounded(.up), 1e9))
      // Without a pipe whoever waits looks up every few milliseconds.
      if readEnd < 0 { return poll(nil, 0, min(milliseconds, 5)) == 0 }
      var ask = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
      let answer = poll(&ask, 1, milliseconds)
      if 0 < answer {
        forgetCalls()
        return true
      }
      // A signal, or a stop and a continuation of the whole process, ends the wait before its time.
      if answer == 0 { return false }
    }
  }

  /// Waits for a call, for `events` of a descriptor or for that many seconds, whichever comes first.
  package func wait(seconds: Double, or events: Int16, of descriptor: Int32) {
    var asked = [
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: events, revents: 0),
    ]
    // Without a pipe whoever waits looks up now and then.
    let milliseconds = min(max(0, seconds) * 1_000, readEnd < 0 ? 50 : 1e9)
    _ = poll(&asked, 2, Int32(milliseconds.rounded(.up)))
    if asked[0].revents != 0 { forgetCalls() }
  }

  private func forgetCalls() {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { bytes in
      while read(readEnd, bytes.baseAddress, bytes.count) == bytes.count {}
    }
  }
}
