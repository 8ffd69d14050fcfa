/// Reads the samples of a sound file at its own rate and with its own channels, whatever its format.
///
/// Used by one thread at a time.
protocol SampleReader: AnyObject {
  var form: SampleForm { get }

  /// Reads up to `frames` interleaved frames; fewer only if the data end or can't be decoded.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int

  /// Moves to a frame. From there on, the samples are the same as if everything before had been read. Returns false if
  /// that is not possible.
  func seek(to frame: Int64) -> Bool

  /// Continues where `read` has ended or `seek` has failed: moves to the first frame after `frame` from which on the
  /// samples are correct again, and returns it; nil if there is none.
  func resume(after frame: Int64) -> Int64?
}

extension SampleReader {
  func resume(after frame: Int64) -> Int64? { nil }
}

/// What a file states about its samples.
struct SampleForm {
  /// In hertz.
  var rate: Int
  var channels: Int
  /// The number of frames that the file states; nil if it states none and ends where its data end.
  var frames: Int64?
  /// Whether the end of the data shows that the file was truncated.
  var isCut = false
  /// The loudspeaker of each channel, in order.
  var roles: [ChannelRole]
  /// Whether samples may be infinite or NaN.
  var isFloatingPoint = false
  var title: String?
  var artist: String?
}
