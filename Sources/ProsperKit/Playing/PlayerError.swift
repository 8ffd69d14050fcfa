import Engine
import Player
import Sounds

/// Why a command was rejected, or why a session or an output failed.
public struct PlayerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable word that a program can compare: `invalidState`, `noActiveTrack`, `emptyPlaylist`,
  /// `invalidPlaylistIndex`, `noNextTrack`, `noPreviousTrack`, `noSuchStage`, `noValidTracksInPlaylist`, `skipFailed`,
  /// `fileNotFound`, `fileLoadFailed`, `invalidFormat`, `damaged`, `fileLoadTimeout`, `invalidConfiguration`,
  /// `queueFull`, `sessionEnded`, `cancelled`, `engineStartFailed`, `sessionConfigurationFailed` or `outputFailed`.
  public let code: String
  /// One sentence for the user: what is wrong, where, and what to do instead.
  public let description: String
  /// Whether another attempt may succeed.
  public let isRecoverable: Bool

  init(_ error: Player.AudioPlayerError) {
    (code, description, isRecoverable) = (error.code, error.description, error.recoverable)
  }

  init(_ error: SinkError) { self.init(.outputFailed(error)) }

  init(_ error: SourceError) { self.init(.fileLoadFailed(error)) }

  init(_ failure: LoadFailure) {
    (code, description, isRecoverable) = (failure.code, failure.description, failure.isRecoverable)
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
