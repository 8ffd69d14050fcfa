public import Engine

/// Why the player can't do what it was asked for; each case is one sentence with the place and the mend.
public enum AudioPlayerError: Error, Sendable, Hashable {
  case invalidState(current: String, attempted: String)
  case noActiveTrack
  case emptyPlaylist
  case invalidPlaylistIndex(index: Int, count: Int)
  case noNextTrack
  case noPreviousTrack
  case noSuchStage(name: String, known: [String])
  /// Every candidate was tried and none can be played.
  case noValidTracksInPlaylist
  /// Three candidates were tried; more are left.
  case skipFailed(reason: String, underlying: SourceError)
  case fileLoadFailed(SourceError)
  case fileLoadTimeout(title: String, seconds: Double)
  case invalidConfiguration(reason: String)
  /// Too many operations wait.
  case queueFull(limit: Int)
  case soundEffectNotFound(title: String)
  /// The session has ended.
  case ended
}
