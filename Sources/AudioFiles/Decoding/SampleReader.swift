/// Reads the samples of a sound file, at the file's own rate and with its own channels. There is one implementation per
/// decoding library.
///
/// Used by one thread at a time.
protocol SampleReader: AnyObject {
  var format: SampleFormat { get }

  /// Reads up to `frames` interleaved frames; fewer only if the data end or can't be decoded.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int

  /// Moves to a frame. The samples from there on are the same as if everything before them had been read. Returns false
  /// if this is not possible.
  func seek(to frame: Int64) -> Bool

  /// Continues after damage, where `read` has ended or `seek` has failed. Moves to the first frame after `frame` from
  /// which on the samples are correct again.
  ///
  /// - Returns: that frame; nil if there is none.
  func resume(after frame: Int64) -> Int64?

  /// Whether the samples after a seek equal, bit for bit, those of a read from the beginning. If not, they differ
  /// inaudibly.
  var isExact: Bool { get }

  /// The libraries that have to be there.
  var libraries: [CodecLibrary] { get }

  /// A seek to a multiple of this many frames decodes the fewest frames before its target.
  var entryStep: Int64 { get }

  /// Opens another reader of the same open file, which begins at its first frame. Any thread may call the function,
  /// also while this reader reads.
  ///
  /// - Returns: nil if the file has changed or can't be opened again.
  var reopen: @Sendable () -> (any SampleReader)? { get }
}

extension SampleReader {
  func resume(after frame: Int64) -> Int64? { nil }
  var entryStep: Int64 { 1 }
  var libraries: [CodecLibrary] { [] }
}

/// What a file states about its samples.
struct SampleFormat {
  /// In hertz.
  var rate: Int
  var channels: Int
  /// The number of frames that the file states; nil if it states none and ends where its data end.
  var frames: Int64?
  /// Whether the file is known to be truncated.
  var isTruncated = false
  /// The loudspeaker of each channel, in order.
  var roles: [ChannelRole]
  /// Whether samples may be infinite or NaN.
  var isFloatingPoint = false
  /// Whether the samples are not compressed, so that reading them takes less time than mixing them.
  var isPlain = false
  var title: String?
  var artist: String?
}
