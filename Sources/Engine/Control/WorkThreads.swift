import Dispatch
import Synchronization

/// Threads that execute closures in the order in which they come; one thread executes them one after the other.
///
/// The threads exist from the beginning, so a shortage of threads shows before the work begins. A dispatch queue creates
/// its threads when work comes, and waits without end if the system can't create one.
package final class WorkThreads: Sendable {
  private let work = Mutex<[@Sendable () -> Void]>([])
  /// Counts the closures that no thread has taken.
  private let waiting = DispatchSemaphore(value: 0)
  private let count: Int

  /// - Returns: nil if the system can't create any of the threads.
  package init?(_ count: Int = 1) {
    self.count = count
    let started = (0..<count).count { _ in
      OSThread.start { [weak self, waiting] in
        while true {
          waiting.wait()
          guard let next = self?.next() else { return }
          next()
        }
      }
    }
    if started == 0 { return nil }
  }

  /// The threads end after the closures that they are executing.
  deinit { for _ in 0..<count { waiting.signal() } }

  private func next() -> (@Sendable () -> Void)? { work.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

  /// Executes a closure on one of the threads. May be called from any thread, and does not wait.
  package func async(_ body: @escaping @Sendable () -> Void) {
    work.withLock { $0.append(body) }
    waiting.signal()
  }

  /// Executes a closure on one of the threads, and waits for it.
  package func sync(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    async {
      body()
      isDone.signal()
    }
    isDone.wait()
  }
}
