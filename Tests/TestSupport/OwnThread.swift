import Foundation
import Synchronization

/// Runs `body`, which may wait, on a thread of its own: the threads that tests share must not stand still.
///
/// An issue that `body` records belongs to the test that calls this.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await Task(executorPreference: OwnThreadExecutor()) { try body() }.value
}

/// Gives each job a thread of its own.
private final class OwnThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
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

  /// Throws what the work threw, or `Hang` once it has not ended within `seconds`.
  package func value(within seconds: Double = Hang.limit) throws -> Value {
    guard group.wait(timeout: .now() + seconds) == .success, let result = result.withLock({ $0 }) else {
      throw Hang(seconds: seconds)
    }
    return try result.get()
  }
}

/// Something that was waited for without end.
package struct Hang: Error {
  /// Seconds after which a wait counts as a hang. It decides no result: whatever works at all takes a fraction of it on the
  /// slowest machine.
  package static let limit = 300.0

  package var seconds: Double
}

/// Raised by one thread and seen by another.
package final class Flag: Sendable {
  private let state = Atomic<Bool>(false)

  package init() {}

  package var isUp: Bool { state.load(ordering: .acquiring) }

  package func raise() { state.store(true, ordering: .releasing) }
}

/// Waits until `condition` holds, on a thread that may wait.
///
/// - Returns: whether it holds; false where it never came to within `seconds`.
package func eventually(within seconds: Double = Hang.limit, _ condition: () throws -> Bool) rethrows -> Bool {
  let clock = SuspendingClock()
  let deadline = clock.now + .seconds(seconds)
  while clock.now < deadline {
    if try condition() { return true }
    poll(nil, 0, 2)
  }
  return try condition()
}

/// Lets so much time pass, on a thread that may wait.
package func letPass(seconds: Double) { _ = eventually(within: seconds) { false } }
