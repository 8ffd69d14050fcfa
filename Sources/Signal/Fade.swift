/// A change of gain over a range of frames.
///
/// The gain is a closed form of the frame, never an accumulation, so a render gives the same bits however it is cut
/// into blocks.
@frozen public struct Fade: BitwiseCopyable, Sendable, Hashable {
  /// The last frame at which the gain is still `from`.
  public var start: FrameTime
  /// Frames from `start` to `end`; 0 is a step at `start`.
  public var length: FrameCount
  /// Linear gain before the fade.
  public var from: Float
  /// Linear gain after the fade.
  public var to: Float
  /// The shape between the two gains. A fade to a lower gain uses the curve in reverse.
  public var curve: FadeCurve

  @inlinable @_noLocks public init(
    from: Float, to: Float, start: FrameTime, length: FrameCount, curve: FadeCurve
  ) {
    self.start = start
    self.length = length
    self.from = from
    self.to = to
    self.curve = curve
  }

  /// No fade: the gain is 1 at every frame.
  @inlinable public static var unity: Fade {
    @_noLocks get { Fade(from: 1, to: 1, start: 0, length: 0, curve: .linear) }
  }

  /// A fade-in from gain 0 to gain 1.
  @inlinable public static func rising(at start: FrameTime, over length: FrameCount, _ curve: FadeCurve) -> Fade {
    Fade(from: 0, to: 1, start: start, length: length, curve: curve)
  }

  /// A fade-out from gain 1 to gain 0.
  @inlinable public static func falling(at start: FrameTime, over length: FrameCount, _ curve: FadeCurve) -> Fade {
    Fade(from: 1, to: 0, start: start, length: length, curve: curve)
  }

  /// The first frame at which the gain is `to`.
  @inlinable public var end: FrameTime { @_noLocks get { start &+ length } }

  /// The fraction of the fade that has passed at `frame`: 0 up to the start, 1 from the end on.
  @inlinable @_noLocks public func progress(at frame: FrameTime) -> Double {
    if frame < start { return 0 }
    if end <= frame { return 1 }
    return Double(frame &- start) / Double(length)
  }

  /// The linear gain at `frame`: `from` up to the start, `to` from the end on.
  @inlinable @_noLocks public func gain(at frame: FrameTime) -> Float {
    if frame < start { return from }
    if end <= frame { return to }
    let progress = Double(frame &- start) / Double(length)
    if from < to { return from + (to - from) * curve.gain(at: progress) }
    return to + (from - to) * curve.gain(at: 1 - progress)
  }
}
