/// One stereo sample: the sound of both channels at one frame of a timeline, full scale at ±1.
@frozen public struct Frame: BitwiseCopyable, Sendable, Hashable {
  public var left: Float
  public var right: Float

  @inlinable public static var silence: Frame { @_noLocks get { Frame(left: 0, right: 0) } }

  @inlinable @_noLocks public init(left: Float, right: Float) {
    self.left = left
    self.right = right
  }

  /// A mono sample, centred: both channels carry it unchanged.
  @inlinable @_noLocks public init(mono: Float) { self.init(left: mono, right: mono) }

  /// The larger magnitude of the two channels.
  @inlinable public var peak: Float { @_noLocks get { max(abs(left), abs(right)) } }

  @inlinable @_noLocks public static func + (a: Frame, b: Frame) -> Frame {
    Frame(left: a.left + b.left, right: a.right + b.right)
  }

  @inlinable @_noLocks public static func * (frame: Frame, gain: Float) -> Frame {
    Frame(left: frame.left * gain, right: frame.right * gain)
  }
}
