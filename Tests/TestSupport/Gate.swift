import Foundation
import Synchronization

/// Lets a body through as far as a test has opened it.
package final class Gate: Sendable {
  private let count: Mutex<Int>
  private let opened = NSCondition()

  /// - Parameter count: bytes from the body's beginning on that come through at once.
  package init(openUpTo count: Int) { self.count = Mutex(count) }

  /// Lets the rest through, or as much of it.
  package func open(upTo count: Int = .max) {
    self.count.withLock { $0 = count }
    opened.lock()
    opened.broadcast()
    opened.unlock()
  }

  /// Waits until the byte at `place` may come through.
  ///
  /// - Returns: the place of the first that may not.
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
