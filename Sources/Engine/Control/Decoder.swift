public import Signal

/// A sound on its way to a voice: stereo frames at the session's rate, one after the other.
///
/// One thread at a time reads and asks for the damage; which one may change between two reads.
public protocol Decoder: AnyObject, Sendable {
  /// Fills `frames` from its beginning and returns how many it filled: fewer than `frames.count` only when the sound has
  /// ended, by itself or because nothing behind its damage can be read.
  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int

  /// The first damage that the reads so far have come upon; what it has cost is silence.
  var damage: SoundDamage? { get }
}

extension Decoder {
  public var damage: SoundDamage? { nil }
}

/// What is wrong with a sound, and where.
public struct SoundDamage: Hashable, Sendable {
  public var error: SourceError
  /// Frames of the decoder's that come before it.
  public var frame: FrameCount

  public init(_ error: SourceError, atFrame frame: FrameCount) { (self.error, self.frame) = (error, frame) }
}

/// What is known of a sound before it is played.
public struct SoundFacts: Hashable, Sendable {
  /// Frames at the session's rate of the part that is played; `.endless` when it has no end.
  public var length: FrameCount
  /// Of the source itself, in hertz; nil when it takes the session's.
  public var rate: Int?
  public var channels: Int
  /// Title and artist, where the source carries them.
  public var title: String?
  public var artist: String?

  public init(length: FrameCount, rate: Int?, channels: Int, title: String? = nil, artist: String? = nil) {
    self.length = length
    self.rate = rate
    self.channels = channels
    self.title = title
    self.artist = artist
  }

  public var tags: SoundTags { SoundTags(title: title, artist: artist) }
}

/// What a source says of itself, where it does.
public struct SoundTags: Hashable, Sendable, Codable {
  public var title: String?
  public var artist: String?

  public init(title: String? = nil, artist: String? = nil) { (self.title, self.artist) = (title, artist) }
}

/// Opens sounds: the player is handed one, and knows no file format.
public protocol SoundLibrary: Sendable {
  /// Length and kind of a sound, exact: a decoder opened at 0 delivers `length` frames, unless the source is damaged.
  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts

  /// A decoder whose first frame is frame `offset` of what one opened at 0 would deliver.
  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder
}
