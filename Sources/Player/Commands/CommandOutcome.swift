public import Schedule

/// The outcome of a command. Every command has exactly one, which is also emitted as an event.
public enum CommandOutcome: Sendable, Hashable {
  /// It was executed.
  case done
  /// The command named `by` cancelled it before it started, or while it was opening its sounds.
  case cancelled(by: String)
  /// It was merged into a later command: ten waiting `next` become one skip over ten tracks.
  case coalesced
  /// It changed nothing.
  case rejected(PlayerError)
}
