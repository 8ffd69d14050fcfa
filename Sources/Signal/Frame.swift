/// The samples of the left and the right channel at one point of a timeline; full scale is ±1.
@frozen public struct Frame: BitwiseCopyable, Sendable, Hashable {
  public var left: Float
  public var right: Float

  /// Both channels at 0.
  @inlinable public static var silence: Frame { @_noLocks get { Frame(left: 0, right: 0) } }

  @inlinable @_noLocks public init(left: Float, right: Float) {
    self.left = left
    self.right = right
  }

  /// A mono sample in the centre: both channels carry it unchanged.
  @inlinable @_noLocks public init(mono: Float) { self.init(left: mono, right: mono) }

  /// The larger magnitude of the two channels; full scale is 1.
  @inlinable public var peak: Float { @_noLocks get { max(abs(left), abs(right)) } }

  /// Mixes two frames; the sum is not limited to full scale.
  @inlinable @_noLocks public static func + (a: Frame, b: Frame) -> Frame {
    Frame(left: a.left + b.left, right: a.right + b.right)
  }

  /// Scales both channels by a linear gain.
  @inlinable @_noLocks public static func * (frame: Frame, gain: Float) -> Frame {
    Frame(left: frame.left * gain, right: frame.right * gain)
  }
}
