import CTasks
import Dispatch
import Engine
import Synchronization

/// The threads on which prosper's tasks run.
///
/// Swift's own threads are created by Dispatch when a task needs one, and Dispatch waits without end if the system can't
/// create it. These exist before the first task.
package enum TaskThreads {
  /// Nil if the system can't create a thread.
  private static let threads = WorkThreads(2)

  /// Executes `body` as a task, and waits for it. Called once, before there is another task.
  package static func run(_ body: sending @escaping () async throws -> Void) throws {
    guard threads != nil else { throw SinkError.noThread }
    tasks_redirect { job in
      let job = UInt(bitPattern: job)
      TaskThreads.threads?.async { tasks_run(UnsafeMutableRawPointer(bitPattern: job)) }
    }
    let ended = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    let task = Task(operation: body)
    Task {
      if case .failure(let error) = await task.result { failure.withLock { $0 = error } }
      ended.signal()
    }
    ended.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
