package import Engine
internal import MessageBus
internal import Synchronization

/// Prevents the computer from sleeping while something plays. If it is suspended anyway, because the lid is closed or
/// at the user's request, this is reported, and the suspend is delayed until the sound has ended.
///
/// This requires logind or elogind. Without it, or if it does not answer, nothing happens. The connection has a thread
/// of its own, so that no caller waits for it.
package final class SleepGuard: Sendable {
  /// Whether something plays; nil after `close`.
  private let isPlaying = Mutex<Bool?>(false)
  /// Wakes the thread when `isPlaying` has changed.
  private let call = WakeUp()

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - bus: the address of the system bus; nil for `DBUS_SYSTEM_BUS_ADDRESS` or the system's default.
  ///   - report: receives `.asleep(true)` before the computer is suspended, and `.asleep(false)` when it wakes up.
  ///     Called on the guard's thread; it must not block.
  package init(bus: String? = nil, report: @escaping @Sendable (OutputEvent) -> Void) {
    OSThread.start { [self] in watch(bus, report) }
  }

  /// Records whether something plays now. Any thread may call it; it returns at once.
  package func note(isPlaying now: Bool) {
    isPlaying.withLock { $0 = $0.map { _ in now } }
    call.call()
  }

  /// Releases the locks and ends the thread. If a suspend is pending, `report` is called once more, with
  /// `.asleep(false)`. Any thread may call it; it returns at once.
  package func close() {
    isPlaying.withLock { $0 = nil }
    call.call()
  }

  /// The guard's thread.
  private func watch(_ bus: String?, _ report: @escaping @Sendable (OutputEvent) -> Void) {
    guard let logind = Logind(on: bus.map { .address($0) } ?? .system, report: report) else { return }
    while let isPlaying = isPlaying.withLock({ $0 }), logind.step(isPlaying: isPlaying) { logind.wait(for: call) }
  }
}
