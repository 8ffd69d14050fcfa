/// Why a schedule can't be edited as asked; nothing has changed then.
public enum EditError: Error, Sendable, Hashable {
  case noActiveTrack
  case emptyPlaylist
  case invalidPlaylistIndex(index: Int, count: Int)
  /// Nor a stage behind this one.
  case noNextTrack
  /// Nor a stage before this one.
  case noPreviousTrack
  case noSuchStage(name: String, known: [String])
  case noSuchPosition(stage: String, seconds: Double)
  case noOverlay
}
