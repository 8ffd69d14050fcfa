import Player
import Sounds

/// One playback of a track, as it appears in states.
public struct TrackInfo: Sendable, Hashable, Identifiable {
  /// Identifies the playback. A repeat of the same track has a different identity, so that a track can crossfade into
  /// itself.
  public let id: Int
  /// The title in the session file, or else the file name.
  public let title: String
  /// The length of the part that is played, in seconds; nil if nothing ends it.
  public let duration: Double?

  init(_ track: Player.TrackInfo) { (id, title, duration) = (track.id, track.title, track.duration) }
}

/// A track of a stage's playlist.
public struct PlaylistTrack: Sendable, Hashable {
  /// The title in the session file, or else the file name.
  public let title: String
  /// The index in the stage's playlist, from 0.
  public let index: Int
  /// How often the playlist has been repeated before, from 0.
  public let pass: Int
  /// The length in seconds; nil for a sound without an end.
  public let duration: Double?
  /// The title that the sound file states; nil if it states none, and in ``SessionPlayer/tracks()``.
  public let taggedTitle: String?
  /// The artist that the sound file states; nil if it states none, and in ``SessionPlayer/tracks()``.
  public let taggedArtist: String?

  init(_ track: Player.UpcomingTrack) {
    (title, index, pass, duration) = (track.title, track.index, track.pass, track.duration)
    (taggedTitle, taggedArtist) = (track.tags.title, track.tags.artist)
  }
}

/// The position of the music. All times are seconds.
public struct TrackPosition: Sendable, Hashable {
  /// The title of the track; nil in silence.
  public let track: String?
  /// The position in the track; nil in silence.
  public let position: Double?
  /// The length of the track; nil for a sound without an end, and in silence.
  public let duration: Double?
  /// The session time.
  public let sessionTime: Double

  init(_ position: Player.TrackPosition) {
    (track, self.position) = (position.track, position.position)
    (duration, sessionTime) = (position.duration, position.session)
  }
}
