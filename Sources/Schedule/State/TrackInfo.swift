public import Sounds

/// One playback of a track, as it appears in states.
public struct TrackInfo: Sendable, Hashable, Identifiable {
  /// Identifies the playback.
  public let id: TrackID
  /// The title in the session file, or else the file name.
  public let title: String
  /// The length of the part that is played, in seconds; nil if nothing ends it.
  public let duration: Double?
  /// The index in the stage's playlist, from 0.
  public let index: Int
  /// How often the playlist has been repeated before, from 0.
  public let pass: Int
  /// The title and artist that the sound file states.
  public let tags: SoundTags
  /// The format of the sound file; nil for a built-in sound, and in states.
  public package(set) var format: SoundFormat?
  /// Where the sound comes from; nil in tests of states.
  package let source: SoundSource?

  package init(id: TrackID, title: String, duration: Double? = nil) {
    (self.id, self.title, self.duration) = (id, title, duration)
    (index, pass, tags, source) = (0, 0, SoundTags(), nil)
  }

  /// - Parameter duration: the length of the clip in seconds.
  init(_ clip: Clip, duration: Double?) {
    id = clip.trackID ?? TrackID(trackPlay: 0)
    (title, tags, source) = (clip.title, clip.tags, clip.source)
    (index, pass) = (clip.number ?? clip.entry?.index ?? 0, clip.entry?.pass ?? 0)
    self.duration = duration
  }
}

/// Identifies one playback of a track. A playback keeps it through seeks, pauses and edits. A repeat of the same track
/// has a different one, so that a track can crossfade into itself.
public struct TrackID: Sendable, Hashable, CustomStringConvertible {
  /// Number of navigations of the listener before the track was planned.
  let move: Int
  /// Index of the stage.
  let stage: Int
  /// Index of the track play since that navigation or since the beginning of the stage.
  let trackPlay: Int
  /// Identity of the playlist entry. A track that replaces one that can't be opened has another one.
  let entry: Int

  package init(move: Int = 0, stage: Int = 0, trackPlay: Int, entry: Int = 0) {
    (self.move, self.stage, self.trackPlay, self.entry) = (move, stage, trackPlay, entry)
  }

  /// The four numbers, joined by underscores.
  public var description: String { "\(move)_\(stage)_\(trackPlay)_\(entry)" }
}
