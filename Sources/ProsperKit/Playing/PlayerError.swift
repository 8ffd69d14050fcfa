import Engine
import Player
import Schedule
import Sounds

extension PlayerError {
  init(_ error: SinkError) { self.init(.outputFailed(error)) }

  init(_ error: SourceError) { self.init(.fileLoadFailed(error)) }

  init(_ failure: LoadFailure) {
    self.init(code: failure.code, description: failure.description, isRecoverable: failure.isRecoverable)
  }
}

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

  init(_ outcome: Player.CommandOutcome) {
    self =
      switch outcome {
      case .done: .done
      case .cancelled(let other): .cancelled(by: other)
      case .coalesced: .coalesced
      case .rejected(let error): .rejected(PlayerError(error))
      }
  }
}
