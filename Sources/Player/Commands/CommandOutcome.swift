/// The outcome of a command. Every command has exactly one, which is also emitted as an event.
package enum CommandOutcome: Sendable, Hashable {
  case done
  /// The named command came before it started, or made it stop at a safe point.
  case cancelled(by: String)
  /// It was merged into a later command: ten waiting `next` make one move.
  case coalesced
  /// It changed nothing.
  case rejected(AudioPlayerError)
}
