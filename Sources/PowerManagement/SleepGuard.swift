package import Engine
internal import Synchronization

/// Keeps the computer awake while something plays, and tells when it sleeps all the same: by its lid, or because its user
/// wants it to. It then waits until nothing is heard any more.
///
/// That takes logind (or elogind). Where there is none, or it does not answer, nothing happens: the talk has a thread of
/// its own, and nobody waits for it.
package final class SleepGuard: Sendable {
  /// Nil when it is over.
  private let isPlaying = Mutex<Bool?>(false)
  private let call = WakeUp()

  /// - Parameters:
  ///   - bus: its address; nil for `DBUS_SYSTEM_BUS_ADDRESS` or the computer's own.
  ///   - told: that the computer falls asleep, and wakes; called on the guard's thread, and must not wait.
  package init(bus: String? = nil, told: @escaping @Sendable (OutputEvent) -> Void) {
    OSThread.start { [self] in watch(bus, told) }
  }

  /// From any thread: something plays from now on, or nothing is heard any more.
  package func note(isPlaying now: Bool) {
    isPlaying.withLock { $0 = $0.map { _ in now } }
    call.call()
  }

  /// Lets the computer sleep, and tells nothing any more; from any thread.
  package func close() {
    isPlaying.withLock { $0 = nil }
    call.call()
  }

  private func watch(_ bus: String?, _ told: @escaping @Sendable (OutputEvent) -> Void) {
    guard let logind = Logind(on: bus, told: told) else { return }
    while let isPlaying = isPlaying.withLock({ $0 }), logind.step(isPlaying: isPlaying) { logind.wait(for: call) }
  }
}
