import Foundation
import Synchronization

/// Runs `body`, which may block, on a thread of its own, because the threads that tests share must not block.
///
/// An issue that `body` records belongs to the test that calls this.
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

/// The work of another thread. Wait for it on a thread that may block.
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

  /// Releases what the work holds before its value is available: a server must not outlive the test that waits for it.
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

/// A wait that did not end.
package struct Hang: Error {
  /// The seconds after which a wait counts as a hang. The limit decides no result: everything that works takes a
  /// fraction of it on the slowest machine.
  package static let limit = 300.0

  package var seconds: Double
}

/// Raised by one thread and read by others.
package final class Flag: Sendable {
  private let state = Atomic<Bool>(false)

  package init() {}

  package var isUp: Bool { state.load(ordering: .acquiring) }

  package func raise() { state.store(true, ordering: .releasing) }
}

/// Waits until `condition` holds. Call it on a thread that may block.
///
/// - Returns: Whether the condition held within `seconds`.
package func eventually(within seconds: Double = Hang.limit, _ condition: () throws -> Bool) rethrows -> Bool {
  let clock = SuspendingClock()
  let deadline = clock.now + .seconds(seconds)
  while clock.now < deadline {
    if try condition() { return true }
    poll(nil, 0, 2)
  }
  return try condition()
}

/// Lets this much time pass. Call it on a thread that may block.
package func letPass(seconds: Double) { _ = eventually(within: seconds) { false } }
