import Glibc

/// Wakes a thread that waits in `poll`, through a pipe. `ring` is safe on any thread and never blocks.
package final class PollWakeUp: Sendable {
  /// The reading end of the pipe, for `poll`: readable after `ring`.
  package let descriptor: Int32
  private let ringing: Int32

  package init() throws(ControlError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .disconnected(cause: String(cString: strerror(errno))) }
    for end in ends {
      LocalSocket.setCloseOnExec(end)
      LocalSocket.setNonBlocking(end)
    }
    (descriptor, ringing) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(ringing)
  }

  /// Wakes the thread. Several rings before `silence` count as one, so a full pipe is not an error.
  package func ring() {
    var byte: UInt8 = 0
    _ = write(ringing, &byte, 1)
  }

  /// Empties the pipe. Only the thread that waits calls it.
  package func silence() {
    var block = [UInt8](repeating: 0, count: 64)
    while 0 < read(descriptor, &block, block.count) {}
  }
}
