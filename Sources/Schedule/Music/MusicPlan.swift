package import Signal

/// The music of one stage: which track plays at which frame, and with which fades. It is a value; `clips` computes one
/// track at a time, so its memory use does not grow with the length of the stage.
package struct MusicPlan: Sendable {
  package var playlist: PlaylistManager
  /// Gain of the stage; multiplies each track's own gain.
  package var gain: Gain
  /// The crossfade between the stage's tracks.
  package var crossfade: FadeShape
  /// The fade-in of the first track, from `begin` on.
  package var openingFade: FadeShape
  /// How the music ends with the stage; nil if the last track ends it, and for an open stage.
  package var ending: MusicEnding?
  /// The session frame at which the stage begins.
  package var begin: FrameTime

  package var tracks: [Track] { playlist.tracks }

  package init(
    _ playlist: PlaylistManager, gain: Gain = .unity, crossfade: FadeShape = .none, openingFade: FadeShape = .none,
    begin: FrameTime = 0
  ) {
    self.playlist = playlist
    self.gain = gain
    self.crossfade = crossfade
    self.openingFade = openingFade
    self.begin = begin
  }
}
