/// Why a command was rejected, or why a session or an output failed.
public struct PlayerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable word that a program can compare: `invalidState`, `noActiveTrack`, `emptyPlaylist`,
  /// `invalidPlaylistIndex`, `noNextTrack`, `noPreviousTrack`, `noSuchStage`, `noValidTracksInPlaylist`, `skipFailed`,
  /// `fileNotFound`, `fileLoadFailed`, `networkTimeout`, `invalidFormat`, `damaged`, `fileLoadTimeout`,
  /// `bufferSchedulingFailed`, `invalidConfiguration`, `noEffect`, `queueFull`, `sessionEnded`, `cancelled`,
  /// `engineStartFailed`, `sessionConfigurationFailed`, `routeChangeFailed` or `outputFailed`.
  public let code: String
  /// One sentence for the user: what is wrong, where, and what to do instead.
  public let description: String
  /// Whether another attempt may succeed.
  public let isRecoverable: Bool
  /// What the player does about it, beyond reporting it.
  package let kind: Kind

  package enum Kind: Sendable, Hashable {
    /// A sound could not be opened, which is an `error` event, too.
    case sound
    /// The session is ending in that state, so that nothing can be changed. The message is worded for each command.
    case ending(state: String)
    case other
  }

  package init(code: String, description: String, isRecoverable: Bool, kind: Kind = .other) {
    (self.code, self.description, self.isRecoverable, self.kind) = (code, description, isRecoverable, kind)
  }
}
