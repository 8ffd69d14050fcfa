/// Why a command was rejected, or why a session or an output failed.
public struct PlayerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable word that a program can compare: `invalidState`, `noActiveTrack`, `emptyPlaylist`,
  /// `invalidPlaylistIndex`, `noNextTrack`, `noPreviousTrack`, `noSuchStage`, `noValidTracksInPlaylist`, `skipFailed`,
  /// `fileNotFound`, `fileLoadFailed`, `networkTimeout`, `invalidFormat`, `damaged`, `fileLoadTimeout`,
  /// `invalidConfiguration`, `queueFull`, `sessionEnded`, `cancelled`, `engineStartFailed`, `sessionConfigurationFailed` or `outputFailed`.
  public let code: String
  /// One sentence for the user: what is wrong, where, and what to do instead.
  public let description: String
  /// Whether another attempt may succeed.
  public let isRecoverable: Bool

  package init(code: String, description: String, isRecoverable: Bool) {
    (self.code, self.description, self.isRecoverable) = (code, description, isRecoverable)
  }
}
