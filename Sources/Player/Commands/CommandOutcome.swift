/// What became of a command: each has exactly one outcome, which is also an event.
public enum CommandOutcome: Sendable, Hashable {
  case done
  /// It had not begun, or stopped at a safe point, when that command came.
  case cancelled(by: String)
  /// It has become part of another one: ten nexts are one move.
  case coalesced
  case rejected(AudioPlayerError)
}
