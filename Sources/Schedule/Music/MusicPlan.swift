package import Signal

/// The music of one stage: which track plays at which frame, and with which fades. A pure value. `clips` computes one
/// track at a time, so its memory use does not grow with the length of the stage.
package struct MusicPlan: Sendable {
  package var playlist: PlaylistManager
  /// Gain of the stage; multiplies each track's own gain.
  package var gain: Gain
  /// The crossfade between the stage's tracks.
  package var crossfade: FadeShape
  /// The fade-in of the first track, from `begin` on.
  package var entrance: FadeShape
  /// How the music ends with the stage; nil if the last track ends it, and for an open stage.
  package var departure: Departure?
  /// The session frame at which the stage begins.
  package var begin: FrameTime

  package var tracks: [Track] { playlist.tracks }

  package init(
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
