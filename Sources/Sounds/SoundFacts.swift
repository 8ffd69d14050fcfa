package import Signal

/// What is known about a sound before it is played.
package struct SoundFacts: Hashable, Sendable {
  /// Length of the part that is played, in frames at the session's rate; `.endless` if it has no end.
  package var length: FrameCount
  /// The source's own rate in hertz; nil if it is generated at the session's rate.
  package var rate: Int?
  /// The exact length of a sound that can join others; nil if it has no end, or if its rate is not converted.
  package var resampled: ResampledLength?
  /// Channels of the source; a decoder always delivers two.
  package var channels: Int
  /// Title and artist from the source's tags; nil if it has none.
  package var title: String?
  package var artist: String?
  /// What is said when, in order; empty for all sounds but spoken texts.
  package var captions: [Caption] = []

  package init(length: FrameCount, rate: Int?, channels: Int, title: String? = nil, artist: String? = nil) {
    self.length = length
    self.rate = rate
    self.channels = channels
    self.title = title
    self.artist = artist
  }

  /// The format of the file; nil for a sound that is generated at the session's rate.
  package var format: SoundFormat? { rate.map { SoundFormat(sampleRate: $0, channels: channels) } }

  /// The captions; nil if there are none.
  package var spoken: [Caption]? { captions.isEmpty ? nil : captions }

  /// Title and artist together.
  package var tags: SoundTags { SoundTags(title: title, artist: artist) }
}

/// The format of a sound file.
public struct SoundFormat: Hashable, Sendable {
  /// Frames per second, in hertz.
  public var sampleRate: Int
  /// The number of channels. A session plays two.
  public var channels: Int
}

/// Title and artist from a source's tags; nil if the source doesn't state them.
public struct SoundTags: Hashable, Sendable, Codable {
  /// The title.
  public var title: String?
  /// The artist.
  public var artist: String?

  /// Creates tags.
  public init(title: String? = nil, artist: String? = nil) { (self.title, self.artist) = (title, artist) }
}
