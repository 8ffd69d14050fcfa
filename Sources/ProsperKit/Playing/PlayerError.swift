import Engine
import Player

/// Why a command was rejected, or why a session or an output failed.
public struct PlayerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable word that a program can compare: `invalidState`, `noActiveTrack`, `emptyPlaylist`,
  /// `invalidPlaylistIndex`, `noNextTrack`, `noPreviousTrack`, `noSuchStage`, `noValidTracksInPlaylist`, `skipFailed`,
  /// `fileNotFound`, `fileLoadFailed`, `invalidFormat`, `damaged`, `fileLoadTimeout`, `invalidConfiguration`,
  /// `queueFull`, `sessionEnded`, `engineStartFailed`, `sessionConfigurationFailed` or `outputFailed`.
  public let code: String
  /// One sentence for a person: where the problem is, what is wrong and what to do instead.
  public let description: String
  /// Whether another attempt may succeed.
  public let isRecoverable: Bool

  init(_ error: Player.AudioPlayerError) { self.init(Player.PlayerProblem(error)) }

  init(_ error: SinkError) { self.init(Player.PlayerProblem(error)) }

  init(_ error: SourceError) { self.init(Player.PlayerProblem(error)) }

  init(_ problem: Player.PlayerProblem) {
    (code, description, isRecoverable) = (problem.code, problem.message, problem.recoverable)
  }
}

/// What became of a command. Every command has exactly one outcome, which is also emitted as an event.
public enum CommandOutcome: Sendable, Hashable {
  /// It was executed.
  case done
  /// A later command, named `by`, came before it started, or made it stop.
  case cancelled(by: String)
  /// It was merged into a later command: ten waiting `next` are executed as one move.
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
