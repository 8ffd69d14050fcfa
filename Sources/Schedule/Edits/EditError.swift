/// The reason why an edit can't be applied. The schedule is unchanged.
package enum EditError: Error, Sendable, Hashable {
  /// No track is playing.
  case noActiveTrack
  case emptyPlaylist
  case invalidPlaylistIndex(index: Int, count: Int)
  /// There is no next track or stage.
  case noNextTrack
  /// A seek leads beyond the end of the track, at `seconds`, and `next` leads nowhere.
  case endOfTrack(seconds: Double)
  /// There is no previous track or stage.
  case noPreviousTrack
  case noSuchStage(name: String, known: [String])
  /// The position is outside the stage.
  case noSuchPosition(stage: String, seconds: Double)
  /// The stage has no end that could move: it is open, or ends with its music, which is paused.
  case noStageEnd(name: String, isMusicPaused: Bool)
  /// The session file has no such stage any more, in which the session plays.
  case stageGone(name: String)
  /// The session would be longer than the longest one.
  case tooLong
  /// No overlay is playing.
  case noOverlay
  /// The edit would change nothing. The text says why.
  case noEffect(String)
}
