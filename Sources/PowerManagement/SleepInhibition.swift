/// Decides which locks of logind to hold. This depends on whether something plays, and whether the computer is about to
/// be suspended.
///
/// A value without side effects; the caller passes the time.
struct SleepInhibition {
  typealias Instant = SuspendingClock.Instant

  /// How long a suspend is delayed for the sound to end. logind itself waits 5 s by default.
  static let delayLimit = Duration.seconds(2)

  var isPlaying = false
  /// Until when the suspend is delayed; nil while the computer is awake.
  private var deadline: Instant?

  /// What to do with a lock: take it, leave it as it is, or release it.
  enum Wish {
    case take, keep, release
  }

  var isAwake: Bool { deadline == nil }

  /// What to do with the lock that prevents idleness and sleep. It is released during a pause, which may last for
  /// hours.
  var block: Wish { isAwake && isPlaying ? .take : .release }

  /// What to do with the lock that delays a suspend. While a suspend is pending no lock can be taken, so the lock that
  /// is held is kept until the deadline.
  func delay(at now: Instant) -> Wish {
    guard isPlaying else { return .release }
    return deadline.map { now < $0 ? .keep : .release } ?? .take
  }

  /// Seconds until the result of `delay` changes; an hour if no suspend is pending.
  func rest(at now: Instant) -> Double {
    guard isPlaying, let deadline, now < deadline else { return 3_600 }
    return (deadline - now) / .seconds(1)
  }

  /// Records a signal of logind.
  ///
  /// - Parameter begins: true before a suspend, false after it.
  /// - Returns: whether the state has changed, so that it has to be reported.
  mutating func prepare(forSleep begins: Bool, at now: Instant) -> Bool {
    defer { deadline = begins ? deadline ?? now + Self.delayLimit : nil }
    return begins == isAwake
  }
}
