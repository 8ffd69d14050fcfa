import Foundation
import Synchronization

/// Withholds the rest of a transfer, such as the body of a response, until a test raises the limit.
package final class TransferLimit: Sendable {
  private let count: Mutex<Int>
  private let changed = NSCondition()

  /// - Parameter count: how much is transferred before the first `raise`.
  package init(upTo count: Int) { self.count = Mutex(count) }

  /// Raises the limit to `count`, by default to everything.
  package func raise(to count: Int = .max) {
    self.count.withLock { $0 = count }
    changed.lock()
    changed.broadcast()
    changed.unlock()
  }

  /// Waits until the position may be transferred. Call it on a thread that may block.
  ///
  /// - Returns: the first position that may not be transferred yet.
  @discardableResult package func wait(at position: Int) -> Int {
    changed.lock()
    defer { changed.unlock() }
    while true {
      let limit = count.withLock { $0 }
      if position < limit { return limit }
      changed.wait()
    }
  }
}
