import Glibc
import Synchronization

/// Who may see and command the player: whoever has one of the two tokens. A code of six digits, which is shown beside the
/// player, is exchanged for the first of them.
package final class Access: Sendable {
  /// What a token permits.
  package enum Grant: String, Sendable {
    /// Everything.
    case control
    /// The timeline, the status and the events.
    case view
  }

  /// The answer to a code.
  enum Pairing: Hashable {
    case paired(token: String)
    case wrongCode
    /// Nobody is paired for some seconds, because of too many wrong codes.
    case locked(seconds: Int)
  }

  private struct State {
    /// Wrong codes since the last correct one, or since the last lock.
    var wrong = 0
    /// Locks since the last correct code.
    var locks = 0
    var lockedUntil: SuspendingClock.Instant?
  }

  /// Wrong codes until pairing is locked, for how many seconds at first, and at most. Each lock that follows takes twice
  /// as long as the one before, because a player can serve for years.
  private static let (attempts, firstLock, longestLock) = (5, 60.0, 960.0)

  package let tokens: Tokens
  private let admitsViewers: Bool
  /// Six digits, other ones at each start.
  package let code: String
  private let now: @Sendable () -> SuspendingClock.Instant
  private let state = Mutex(State())

  /// - Parameters:
  ///   - admitsViewers: whether the second token permits anything.
  ///   - now: the time, which tests set.
  package init(
    _ tokens: Tokens, admitsViewers: Bool = true, now: @escaping @Sendable () -> SuspendingClock.Instant = { .now }
  ) {
    (self.tokens, self.admitsViewers, self.now) = (tokens, admitsViewers, now)
    let number = "\(Int.random(in: 0..<1_000_000))"
    code = String(repeating: "0", count: 6 - number.count) + number
  }

  /// What a token permits; nil if it is none, or an old one.
  func grant(of token: String?) -> Grant? {
    guard let token else { return nil }
    if Self.isSame(token, tokens.control) { return .control }
    return admitsViewers && Self.isSame(token, tokens.view) ? .view : nil
  }

  func pair(with code: String) -> Pairing {
    state.withLock { state in
      let now = now()
      if let until = state.lockedUntil {
        if now < until { return .locked(seconds: Int((until - now) / .seconds(1)) + 1) }
        (state.wrong, state.lockedUntil) = (0, nil)
      }
      // Spaces are how people read six digits to each other.
      if Self.isSame(code.filter { !$0.isWhitespace }, self.code) {
        state = State()
        return .paired(token: tokens.control)
      }
      state.wrong += 1
      guard Self.attempts <= state.wrong else { return .wrongCode }
      let lock = min(Self.longestLock, Self.firstLock * Double(1 << min(state.locks, 8)))
      state.locks += 1
      state.lockedUntil = now.advanced(by: .seconds(lock))
      return .locked(seconds: Int(lock))
    }
  }

  /// Compares without telling by the time how much is right.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    let (first, second) = (Array(first.utf8), Array(second.utf8))
    return first.count == second.count && zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
