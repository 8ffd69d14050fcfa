import Glibc

/// Wakes a thread that waits in `poll`; from any thread, without waiting.
package final class Bell: Sendable {
  /// Readable when it has been rung.
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

  /// Rings of one moment are one: a full pipe rings already.
  package func ring() {
    var byte: UInt8 = 0
    _ = write(ringing, &byte, 1)
  }

  package func silence() {
    var block = [UInt8](repeating: 0, count: 64)
    while 0 < read(descriptor, &block, block.count) {}
  }
}
