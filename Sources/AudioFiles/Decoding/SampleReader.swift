/// The samples of one sound file in its own rate and channels, whatever its format.
protocol SampleReader: AnyObject {
  var form: SampleForm { get }

  /// Reads up to `frames` interleaved frames; fewer only where the data end or stop making sense.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int

  /// Goes to a frame, from which on the samples are the same as if all before had been read; false where that can't be.
  func seek(to frame: Int64) -> Bool

  /// Where the reading has come to an end at `frame`, or could not go there: goes to the first frame behind it from which on
  /// the samples are right again, and returns it; nil where there is none.
  func resume(behind frame: Int64) -> Int64?
}

extension SampleReader {
  func resume(behind frame: Int64) -> Int64? { nil }
}

/// What a file says of its samples.
struct SampleForm {
  /// Hertz.
  var rate: Int
  var channels: Int
  /// How many frames the file promises; nil where it promises nothing: then it ends where its data end.
  var frames: Int64?
  /// Whether the end of the data shows that the file was cut, when nothing is promised.
  var isCut = false
  /// What each channel is, in order.
  var roles: [ChannelRole]
  /// Whether samples may be infinite or no numbers.
  var isFloatingPoint = false
  var title: String?
  var artist: String?
}
