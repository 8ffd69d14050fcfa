import Dispatch

/// A wake-up call from one thread to another. Calls while nobody waits are remembered as one.
package final class WakeUp: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  /// Never waits.
  package func call() { semaphore.signal() }

  package func wait() {
    semaphore.wait()
    forgetFurtherCalls()
  }

  /// - Returns: false when nobody called within that many seconds.
  @discardableResult
  package func wait(seconds: Double) -> Bool {
    let called = semaphore.wait(timeout: .now() + .microseconds(Int(max(0, seconds) * 1e6))) == .success
    if called { forgetFurtherCalls() }
    return called
  }

  private func forgetFurtherCalls() { while semaphore.wait(timeout: .now()) == .success {} }
}
