/// Whether something plays, and whether the computer is about to sleep.
struct Vigil {
  typealias Instant = SuspendingClock.Instant

  /// How long the computer is kept from a sleep that has been decided, for the sound to end: logind itself waits 5 s.
  static let patience = Duration.seconds(2)

  var isPlaying = false
  /// Until when it waits for us; nil while it is awake.
  private var deadline: Instant?

  /// What is to become of the locks.
  enum Wish {
    case take, keep, release
  }

  var isAwake: Bool { deadline == nil }

  /// Of the lock on idleness and sleep. A pause may last: the computer may sleep then.
  var block: Wish { isAwake && isPlaying ? .take : .release }

  /// Of the lock that has the computer wait for us. Once it waits no new one can be had.
  func delay(at now: Instant) -> Wish {
    guard isPlaying else { return .release }
    return deadline.map { now < $0 ? .keep : .release } ?? .take
  }

  /// Seconds until it must be looked at again.
  func rest(at now: Instant) -> Double {
    guard isPlaying, let deadline, now < deadline else { return 3_600 }
    return (deadline - now) / .seconds(1)
  }

  /// - Returns: whether that is news.
  mutating func prepare(forSleep begins: Bool, at now: Instant) -> Bool {
    defer { deadline = begins ? deadline ?? now + Self.patience : nil }
    return begins == isAwake
  }
}
