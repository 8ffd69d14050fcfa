import Signal

/// Generates a sound in blocks of equal length, on a grid that begins at frame 0.
///
/// A block is a function of its position alone. Whatever is read, from wherever and in whatever sizes, is cut out of
/// the same blocks, so it has the same bits.
protocol Generator: Sendable {
  /// Frames per block.
  var blockLength: Int { get }
  /// The length of the sound, and the ramps at its ends.
  var edges: Edges { get }

  /// Writes all frames of the block that begins at frame `start`, a multiple of `blockLength`, without the ramps of
  /// `edges`.
  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime)
}

/// The length of a sound, and short ramps at its ends that avoid clicks.
struct Edges: Sendable {
  /// The length of the whole sound in frames; `.endless` if it has no end.
  var length: FrameCount
  /// Frames of the ramp at the beginning; the first frame is already above zero.
  var rise: FrameCount
  /// Frames of the ramp at the end; the last frame is exactly zero.
  var fall: FrameCount

  /// An endless sound that begins without a click.
  static func endless(at rate: SampleRate) -> Edges {
    Edges(length: .endless, rise: rate.frames(0.005), fall: 0)
  }

  /// Applies the ramps to the block that begins at frame `start`.
  func shape(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let rising = max(0, min(FrameCount(block.count), rise &- start))
    for index in 0..<Int(rising) {
      block[index] = block[index] * (Float(Int32(start) + Int32(index) + 1) / Float(rise + 1))
    }
    guard length != .endless, length &- fall < start &+ FrameCount(block.count) else { return }
    let ending = Fade.falling(at: length &- 1 &- fall, over: fall, .sCurve)
    for index in block.indices {
      block[index] = block[index] * ending.gain(at: start &+ FrameTime(index))
    }
  }
}
