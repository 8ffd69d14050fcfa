internal import Engine
internal import MessageBus

/// The connection to logind. Takes locks while something plays, and reports the signal `PrepareForSleep`. Only the
/// thread of `SleepGuard` uses it.
final class Logind {
  private let bus: BusConnection
  /// Prevents idleness and sleep.
  private let block: LogindLock
  /// Delays a suspend until the sound has ended.
  private let delay: LogindLock
  private var inhibition = SleepInhibition()
  private var subscription: BusSubscription?
  /// Called when the computer is about to be suspended, and when it wakes up.
  private let report: @Sendable (OutputEvent) -> Void

  /// Returns nil if there is no bus.
  init?(on target: BusConnection.Target, report: @escaping @Sendable (OutputEvent) -> Void) {
    guard let bus = BusConnection(to: target) else { return nil }
    self.bus = bus
    self.report = report
    // logind may permit users who are not at the computer to prevent idleness, but not sleep.
    block = LogindLock(on: bus, .block, ["sleep:idle", "idle"])
    delay = LogindLock(on: bus, .delay, ["sleep"])
    subscribe()
  }

  /// If the computer is about to sleep, reports that it is awake, because no signal can be received after this.
  deinit {
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

  /// Subscribes to the signal that announces sleep. If logind refuses, prosper works as without logind.
  private func subscribe() {
    subscription = BusSubscription(to: .logind("PrepareForSleep"), on: bus) { [unowned self] in prepares($0) }
  }

  /// Handles the signal: the computer is about to be suspended, or has woken up.
  private func prepares(_ signal: BusSignal) {
    // A directed signal may come from any user, so it is ignored.
    guard signal.isBroadcast, case .bool(let begins)? = signal.values?.first else { return }
    if inhibition.prepare(forSleep: begins, at: now) { report(.asleep(begins)) }
  }

  /// The time without the time in suspend, so that the delay does not run out while the computer sleeps.
  private var now: SleepInhibition.Instant { SuspendingClock().now }
}

extension BusMember {
  /// A method or signal of logind.
  static func logind(_ name: String) -> BusMember {
    BusMember(
      name, of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1", in: "org.freedesktop.login1")
  }
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
