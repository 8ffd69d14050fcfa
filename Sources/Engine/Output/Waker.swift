internal import Glibc

/// Waits that another thread can end: a pipe, for the wait must not depend on the wall clock.
final class Waker: Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    // Without a pipe (no file descriptors left) a wait lasts to its end.
    if pipe(&ends) != 0 { ends = [-1, -1] }
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit { for end in [readEnd, writeEnd] where end >= 0 { close(end) } }

  /// Ends the wait that is on, and each that begins later. From any thread.
  func wake() { _ = Glibc.write(writeEnd, [UInt8(1)], 1) }

  /// - Returns: whether the moment has come; false when it was woken before.
  func wait(until moment: SuspendingClock.Instant) -> Bool {
    let clock = SuspendingClock()
    while clock.now < moment {
      let left = (moment - clock.now).components
      let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1
      var ask = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
      if poll(&ask, 1, Int32(clamping: milliseconds)) > 0 { return false }
    }
    return true
  }
}
