import Player
import Schedule
import Sounds

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
