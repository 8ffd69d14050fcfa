import Foundation
import Synchronization

/// Runs `body`, which may block, on a thread of its own, because Swift's thread pool, which all tests share, must not
/// be blocked. An issue that `body` records belongs to the calling test.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await Task(executorPreference: OwnThreadExecutor()) { try body() }.value
}

/// Runs each job on a thread of its own.
private final class OwnThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Work on another thread. Wait for its value on a thread that may block.
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

  /// Runs the work, and releases its closure before the value is available, so that an object that the closure
  /// captures, such as a server, does not outlive the test.
  private func work() throws -> Value {
    guard let body = body.withLock({ $0.take() }) else { preconditionFailure("the work runs twice") }
    return try body()
  }

  /// Throws what the work threw, or `Hang` if it has not ended within `seconds`.
  package func value(within seconds: Double = Hang.limit) throws -> Value {
    guard group.wait(timeout: .now() + seconds) == .success, let result = result.withLock({ $0 }) else {
      throw Hang(seconds: seconds)
    }
    return try result.get()
  }
}

/// A wait that has not ended in time.
package struct Hang: Error {
  /// The seconds after which a wait counts as a hang. A test never passes or fails because of this value: everything
  /// that works takes a fraction of it, even on the slowest machine.
  package static let limit = 600.0

  package var seconds: Double

  package init(seconds: Double = Hang.limit) { self.seconds = seconds }
}

/// A flag that one thread raises and others read.
package final class Flag: Sendable {
  private let state = Atomic<Bool>(false)

  package init() {}

  package var isRaised: Bool { state.load(ordering: .acquiring) }

  package func raise() { state.store(true, ordering: .releasing) }
}

/// Waits until `condition` is true. Call it on a thread that may block.
///
/// - Returns: Whether the condition became true within `seconds`.
package func eventually(within seconds: Double = Hang.limit, _ condition: () throws -> Bool) rethrows -> Bool {
  let clock = SuspendingClock()
  let deadline = clock.now + .seconds(seconds)
  while clock.now < deadline {
    if try condition() { return true }
    poll(nil, 0, 2)
  }
  return try condition()
}

/// Waits for a time. Call it on a thread that may block. Only for tests that are about the passage of time.
package func letPass(seconds: Double) { _ = eventually(within: seconds) { false } }
