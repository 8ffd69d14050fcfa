import Engine
import Synchronization

/// Calls functions at later times of the computer's monotonic clock, on a thread of its own.
final class AlarmClock: Sendable {
  private struct Call {
    var time: Int64
    var body: @Sendable () -> Void
  }

  private let calls = Mutex<[Call]>([])
  private let wakeUp = WakeUp()

  /// - Returns: nil if the system can't create the thread.
  init?() {
    let isStarted = OSThread.start { [weak self, wakeUp] in
      while let seconds = self?.callDue() { wakeUp.wait(seconds: seconds) }
    }
    if !isStarted { return nil }
  }

  deinit { wakeUp.call() }

  /// Calls `body` once after that many seconds. May be called from any thread.
  @Sendable func set(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    calls.withLock { $0.append(Call(time: monotonicNanoseconds() + Int64(1e9 * seconds), body: body)) }
    wakeUp.call()
  }

  /// Calls the functions whose time has come.
  ///
  /// - Returns: the seconds until the next one.
  private func callDue() -> Double {
    let now = monotonicNanoseconds()
    let (due, next) = calls.withLock { calls in
      let due = calls.filter { $0.time <= now }
      calls.removeAll { $0.time <= now }
      return (due, calls.map(\.time).min())
    }
    for call in due { call.body() }
    return next.map { Double(max(0, $0 - now)) / 1e9 } ?? 3_600
  }
}
