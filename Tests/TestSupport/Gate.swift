import Foundation
import Synchronization

/// Lets the bytes of a body pass as far as a test has opened it.
package final class Gate: Sendable {
  private let count: Mutex<Int>
  private let opened = NSCondition()

  /// - Parameter count: How many bytes from the beginning of the body pass at once.
  package init(openUpTo count: Int) { self.count = Mutex(count) }

  /// Lets the rest pass, or as much of it as `count` says.
  package func open(upTo count: Int = .max) {
    self.count.withLock { $0 = count }
    opened.lock()
    opened.broadcast()
    opened.unlock()
  }

  /// Waits until the byte at `place` may pass.
  ///
  /// - Returns: The position of the first byte that may not.
  @discardableResult package func limit(beyond place: Int) -> Int {
    opened.lock()
    defer { opened.unlock() }
    while true {
      let limit = count.withLock { $0 }
      if place < limit { return limit }
      opened.wait()
    }
  }
}
