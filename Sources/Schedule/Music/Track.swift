public import Engine
public import Signal

/// One entry of a playlist, with its probed length.
public struct Track: Sendable, Hashable, Codable {
  public var source: SoundSource
  public var title: String
  public var gain: Gain
  /// In session frames; `.endless` for a generated bed.
  public var length: FrameCount
  /// Its place in the playlist as the listener knows it, where others were left out of it; else nil.
  public var number: Int?
  public var tags = SoundTags()
  /// Of this entry, given when it comes into a playlist: the same file twice is two entries.
  var id = 0
  /// It has failed to open when its turn came: those that follow it come at once.
  var isUnplayable = false

  private enum CodingKeys: String, CodingKey { case source, title, gain, length, number, tags }

  public init(source: SoundSource, title: String, gain: Gain, length: FrameCount) {
    self.source = source
    self.title = title
    self.gain = gain
    self.length = length
  }
}

/// What follows the last track of a playlist.
public enum RepeatMode: String, Sendable, Hashable, Codable, CaseIterable {
  case off, track, playlist
}
