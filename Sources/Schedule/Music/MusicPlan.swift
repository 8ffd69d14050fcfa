public import Signal

/// The music of one stage in closed form: which track sounds when, under which fades. Pure; `clips` works it out one
/// track at a time, so a week of three-second tracks takes no memory.
public struct MusicPlan: Sendable {
  public var playlist: PlaylistManager
  /// Of the stage; multiplies each track's own gain.
  public var gain: Gain
  /// Between the stage's tracks.
  public var crossfade: FadeShape
  /// Of the first track, from `begin` on.
  public var entrance: FadeShape
  /// Nil where the music ends by itself, and while the stage is open.
  public var departure: Departure?
  public var begin: FrameTime

  public var tracks: [Track] { playlist.tracks }

  public init(
    _ playlist: PlaylistManager, gain: Gain = .unity, crossfade: FadeShape = .none, entrance: FadeShape = .none,
    departure: Departure? = nil, begin: FrameTime = 0
  ) {
    self.playlist = playlist
    self.gain = gain
    self.crossfade = crossfade
    self.entrance = entrance
    self.departure = departure
    self.begin = begin
  }
}
