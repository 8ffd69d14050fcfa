package import Signal
package import Sounds

/// One entry of a playlist, with its probed length.
package struct Track: Sendable, Hashable, Codable {
  package var source: SoundSource
  package var title: String
  package var gain: Gain
  /// In session frames; `.endless` for a generated sound without an end.
  package var length: FrameCount
  /// The exact length, if the rate of the sound is converted.
  package var resampled: ResampledLength?
  /// Index in the playlist as the session file lists it, if unplayable entries were removed; otherwise nil.
  package var number: Int?
  package var tags = SoundTags()
  /// What is said when, in order; nil if nothing is.
  package var captions: [Caption]?
  /// Identity of this entry, assigned when it is added to a playlist. A file that is listed twice is two entries.
  var id = 0
  /// The track failed to open when it was due. It is skipped from then on.
  var isUnplayable = false
  /// The pass of the playlist in which the track failed to open for a cause that may pass; nil if there is none. Only in
  /// that pass is it skipped.
  var absentPass: Int?

  func isPlayable(inPass pass: Int) -> Bool { !isUnplayable && absentPass != pass }

  /// The track without what its playlist has added.
  var unedited: Track {
    var track = self
    (track.id, track.isUnplayable, track.absentPass) = (0, false, nil)
    return track
  }

  private enum CodingKeys: String, CodingKey { case source, title, gain, length, resampled, number, tags, captions }

  package init(source: SoundSource, title: String, gain: Gain, length: FrameCount) {
    self.source = source
    self.title = title
    self.gain = gain
    self.length = length
  }

  /// Whether a saved track has numbers with which calculations can't overflow, besides its length.
  var isPlausible: Bool { resampled?.isPlausible ?? true && (captions ?? []).allSatisfy(\.isPlausible) }

  /// The length with its fraction. Not for an endless track.
  var exactLength: ExactFrames { resampled?.exact ?? ExactFrames(length) }
}

/// What is repeated in a stage.
public enum RepeatMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing: the music ends after the last track.
  case off
  /// Each track.
  case track
  /// The whole playlist.
  case playlist
}
