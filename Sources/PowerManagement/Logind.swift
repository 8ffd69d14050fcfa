internal import CSystemd
internal import Engine

/// What is asked of logind, and what it tells. Of the bus's thread.
final class Logind {
  private let bus: SystemBus
  private let block: LogindLock
  private let delay: LogindLock
  private var vigil = Vigil()
  private var subscription: OpaquePointer?
  private let told: @Sendable (OutputEvent) -> Void

  /// Nil where there is no system bus.
  init?(on address: String?, told: @escaping @Sendable (OutputEvent) -> Void) {
    guard let bus = SystemBus(at: address) else { return nil }
    self.bus = bus
    self.told = told
    // Who is not at the computer itself may keep it from idling, and not from sleeping.
    block = LogindLock(on: bus, .block, ["sleep:idle", "idle"])
    delay = LogindLock(on: bus, .delay, ["sleep"])
    subscribe()
  }

  /// Nobody will tell when it wakes.
  deinit {
    sd_bus_slot_unref(subscription)
    if !vigil.isAwake { told(.asleep(false)) }
  }

  /// Takes what is wanted and carries out what has come; false when there is nobody to talk to any more.
  func step(isPlaying: Bool) -> Bool {
    vigil.isPlaying = isPlaying
    let isThere = bus.process()
    block.heed(vigil.block)
    delay.heed(vigil.delay(at: now))
    return isThere
  }

  func wait(for call: WakeUp) { bus.wait(for: call, seconds: vigil.rest(at: now)) }

  private func subscribe() {
    sd_bus_match_signal_async(
      bus.bus, &subscription, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
      "PrepareForSleep",
      { signal, logind, _ in
        if let logind { Unmanaged<Logind>.fromOpaque(logind).takeUnretainedValue().prepares(signal) }
        return 0
      },
      // Refused, it is as it is without logind.
      { _, _, _ in 0 }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func prepares(_ signal: OpaquePointer?) {
    // The bus vouches for the sender of what goes to all, not of what another user sends to us alone.
    guard sd_bus_message_get_destination(signal) == nil else { return }
    var begins: Int32 = 0
    guard 0 < sd_bus_message_read_basic(signal, CChar(SD_BUS_TYPE_BOOLEAN), &begins) else { return }
    if vigil.prepare(forSleep: begins != 0, at: now) { told(.asleep(begins != 0)) }
  }

  private var now: Vigil.Instant { SuspendingClock().now }
}

extension LogindLock {
  fileprivate func heed(_ wish: Vigil.Wish) {
    switch wish {
    case .take: take()
    case .keep: break
    case .release: release()
    }
  }
}
