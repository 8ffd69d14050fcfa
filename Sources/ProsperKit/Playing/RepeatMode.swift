/// What is repeated in a stage.
public enum RepeatMode: String, Sendable, Hashable, CaseIterable {
  /// Nothing: the music ends after the last track.
  case off
  /// Each track.
  case track
  /// The whole playlist.
  case playlist
}
