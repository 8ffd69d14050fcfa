internal import CSystemd
internal import Engine

/// The connection to logind. Takes locks while something plays, and reports the signal `PrepareForSleep`. Only the
/// thread of `SleepGuard` uses it.
final class Logind {
  private let bus: SystemBus
  /// Prevents idleness and sleep.
  private let block: LogindLock
  /// Delays a suspend until the sound has ended.
  private let delay: LogindLock
  private var inhibition = SleepInhibition()
  private var subscription: OpaquePointer?
  /// Called when the computer is about to be suspended, and when it wakes up.
  private let report: @Sendable (OutputEvent) -> Void

  /// Returns nil if there is no system bus.
  init?(on address: String?, report: @escaping @Sendable (OutputEvent) -> Void) {
    guard let bus = SystemBus(at: address) else { return nil }
    self.bus = bus
    self.report = report
    // logind may permit users who are not at the computer to prevent idleness, but not sleep.
    block = LogindLock(on: bus, .block, ["sleep:idle", "idle"])
    delay = LogindLock(on: bus, .delay, ["sleep"])
    subscribe()
  }

  /// If the computer is about to sleep, reports that it is awake, because no signal can be received after this.
  deinit {
    sd_bus_slot_unref(subscription)
    if !inhibition.isAwake { report(.asleep(false)) }
  }

  /// Handles the messages that have arrived, then takes or releases the locks.
  ///
  /// - Parameter isPlaying: whether something plays now.
  /// - Returns: false if the connection has ended.
  func step(isPlaying: Bool) -> Bool {
    inhibition.isPlaying = isPlaying
    let isThere = bus.process()
    block.heed(inhibition.block)
    delay.heed(inhibition.delay(at: now))
    return isThere
  }

  /// Waits for a message, for `call`, or for the time at which a lock must be released.
  func wait(for call: WakeUp) { bus.wait(for: call, seconds: inhibition.rest(at: now)) }

  /// Subscribes to the signal. `self` is passed unretained, because `deinit` cancels the subscription.
  private func subscribe() {
    sd_bus_match_signal_async(
      bus.bus, &subscription, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
      "PrepareForSleep",
      { signal, logind, _ in
        if let logind { Unmanaged<Logind>.fromOpaque(logind).takeUnretainedValue().prepares(signal) }
        return 0
      },
      // If logind refuses, everything works as it does without logind.
      { _, _, _ in 0 }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Handles the signal: the computer is about to be suspended, or has woken up.
  private func prepares(_ signal: OpaquePointer?) {
    // The bus guarantees the sender of a broadcast. A directed signal may come from any user, so it is ignored.
    guard sd_bus_message_get_destination(signal) == nil else { return }
    var begins: Int32 = 0
    guard 0 < sd_bus_message_read_basic(signal, CChar(SD_BUS_TYPE_BOOLEAN), &begins) else { return }
    if inhibition.prepare(forSleep: begins != 0, at: now) { report(.asleep(begins != 0)) }
  }

  /// The time without the time in suspend, so that the delay does not run out while the computer sleeps.
  private var now: SleepInhibition.Instant { SuspendingClock().now }
}

extension LogindLock {
  fileprivate func heed(_ wish: SleepInhibition.Wish) {
    switch wish {
    case .take: take()
    case .keep: break
    case .release: release()
    }
  }
}
