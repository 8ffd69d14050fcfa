/// What follows the last track of a playlist.
public enum RepeatMode: String, Sendable, Hashable, CaseIterable {
  /// The end of the stage's music.
  case off
  /// The same track again.
  case track
  /// The first track again.
  case playlist
}
