package import Signal

/// Delivers a sound as consecutive stereo frames at the session's rate.
///
/// Only one thread at a time calls it, but different reads may be called by different threads.
package protocol Decoder: AnyObject, Sendable {
  /// Fills `frames` from its beginning, and returns the number of filled frames. It may wait for the disk or the
  /// network.
  ///
  /// If it returns less than `frames.count`, the sound has ended, or nothing after a damaged part can be decoded. Every
  /// sample is finite; full scale is ±1.
  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int

  /// The first damage that the reads so far have found; nil if there is none. Damaged parts are delivered as silence.
  var damage: SoundDamage? { get }

  /// The first frame from `frame` on at which `branch` can begin without decoding much before it; nil if there is none,
  /// because the sound can only be decoded from its beginning. Frames count from the first one of this decoder. From
  /// any thread, also during a read.
  func entry(from frame: FrameCount) -> FrameCount?

  /// Opens the same sound once more. From any thread, also during a read; it may wait for the disk.
  ///
  /// - Parameter frame: the first frame of the new decoder, counted as in `entry`; 0, or a result of `entry`.
  /// - Returns: a decoder whose frames are the same, bit for bit, as those of this one; nil if there can be none, for
  ///   example because the file has changed.
  func branch(at frame: FrameCount) -> (any Decoder)?
}

extension Decoder {
  package var damage: SoundDamage? { nil }
  package func entry(from frame: FrameCount) -> FrameCount? { nil }
  package func branch(at frame: FrameCount) -> (any Decoder)? { nil }
}

/// Damage of a sound, and where it begins.
package struct SoundDamage: Hashable, Sendable {
  package var error: SourceError
  /// The number of frames that the decoder delivers before the damage.
  package var frame: FrameCount

  package init(_ error: SourceError, atFrame frame: FrameCount) { (self.error, self.frame) = (error, frame) }

  /// The damage of the sound without its first `count` frames; nil if it lies within them.
  func skipping(_ count: FrameCount) -> SoundDamage? {
    count <= frame ? SoundDamage(error, atFrame: frame - count) : nil
  }
}

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

  package init(length: FrameCount, rate: Int?, channels: Int, title: String? = nil, artist: String? = nil) {
    self.length = length
    self.rate = rate
    self.channels = channels
    self.title = title
    self.artist = artist
  }

  /// Title and artist together.
  package var tags: SoundTags { SoundTags(title: title, artist: artist) }
}

/// Title and artist from a source's tags; nil if the source doesn't state them.
package struct SoundTags: Hashable, Sendable, Codable {
  package var title: String?
  package var artist: String?

  package init(title: String? = nil, artist: String? = nil) { (self.title, self.artist) = (title, artist) }
}

/// Opens sounds. The engine and the player use a library to play sources of any kind; they know no file formats.
///
/// Several threads may call it at the same time, and a call may wait for the disk or the network.
package protocol SoundLibrary: Sendable {
  /// The length, rate, channels and tags of a sound.
  ///
  /// The length is exact: a decoder opened at offset 0 delivers `length` frames, unless the source is damaged.
  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts

  /// Opens a decoder whose first frame is frame `offset` of a decoder opened at 0.
  ///
  /// - Parameters:
  ///   - rate: the rate of the frames that it delivers.
  ///   - offset: frames at `rate` from the beginning of the part that `source` describes.
  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder

  /// The same for a sound that directly precedes or follows others. Frame 0 is the one nearest to the sound's exact
  /// beginning, and at least as many frames follow as there are to the frame nearest to its exact end.
  func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount, joined join: SoundJoin?
  ) throws(SourceError) -> any Decoder
}

extension SoundLibrary {
  /// Opens the sound on its own: a library whose sounds are not resampled has nothing to join.
  package func open(
    _ source: SoundSource, at rate: SampleRate, from offset: FrameCount, joined join: SoundJoin?
  ) throws(SourceError) -> any Decoder {
    try open(source, at: rate, from: offset)
  }
}
