/// One sample of the left channel and one of the right channel, at the same moment. Full scale is ±1.
///
/// In memory a frame is two 32-bit floating-point numbers, left before right, so that a buffer of frames is a buffer of
/// interleaved samples.
@frozen public struct StereoFrame: BitwiseCopyable, Sendable, Hashable {
  /// The sample of the left channel.
  public var left: Float
  /// The sample of the right channel.
  public var right: Float

  /// Creates a frame from the samples of both channels.
  @inlinable public init(left: Float, right: Float) {
    self.left = left
    self.right = right
  }
}
