import Glibc

/// Wakes a thread that waits in `poll`, through a pipe. `call` may be used on any thread and never blocks.
package final class PollWakeUp: Sendable {
  /// The reading end of the pipe, for `poll`: readable after `call`.
  package let descriptor: Int32
  private let writingEnd: Int32

  package init() throws(ControlError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .cannotServe(cause: String(cString: strerror(errno))) }
    for end in ends {
      LocalSocket.setCloseOnExec(end)
      LocalSocket.setNonBlocking(end)
    }
    (descriptor, writingEnd) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writingEnd)
  }

  /// Wakes the thread. Several calls before `reset` count as one, so a full pipe is not an error.
  package func call() {
    var byte: UInt8 = 0
    _ = write(writingEnd, &byte, 1)
  }

  /// Empties the pipe. Only the waiting thread calls it.
  package func reset() {
    var block = [UInt8](repeating: 0, count: 64)
    while 0 < read(descriptor, &block, block.count) {}
  }
}
