import Foundation
import Synchronization

/// Runs `body`, which may wait, on a thread of its own: the threads that tests share must not stand still.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}

/// Another thread's work, to be waited for from a thread that may wait.
package final class Background<Value: Sendable>: Sendable {
  private let group = DispatchGroup()
  private let body: Mutex<(@Sendable () throws -> Value)?>
  private let result = Mutex<Result<Value, any Error>?>(nil)

  package init(_ body: @escaping @Sendable () throws -> Value) {
    self.body = Mutex(body)
    group.enter()
    Thread.detachNewThread { [self] in
      let value = Result { try work() }
      result.withLock { $0 = value }
      group.leave()
    }
  }

  /// Releases what the work holds before its value is known: a server must not outlive the test that waits for it.
  private func work() throws -> Value {
    guard let body = body.withLock({ $0.take() }) else { preconditionFailure("the work is done twice") }
    return try body()
  }

  /// Throws what the work threw, or that it is not done within `seconds`.
  package func value(within seconds: Double) throws -> Value {
    guard group.wait(timeout: .now() + seconds) == .success, let result = result.withLock({ $0 }) else {
      throw TooLate(seconds: seconds)
    }
    return try result.get()
  }
}

package struct TooLate: Error {
  package var seconds: Double
}

/// Raised by one thread and seen by another.
package final class Flag: Sendable {
  private let state = Atomic<Bool>(false)

  package init() {}

  package var isUp: Bool { state.load(ordering: .acquiring) }

  package func raise() { state.store(true, ordering: .releasing) }
}

/// Whether `condition` comes to hold within `seconds`; for a thread that may wait.
package func eventually(within seconds: Double = 5, _ condition: () throws -> Bool) rethrows -> Bool {
  let clock = SuspendingClock()
  let deadline = clock.now + .seconds(seconds)
  while clock.now < deadline {
    if try condition() { return true }
    poll(nil, 0, 2)
  }
  return try condition()
}
