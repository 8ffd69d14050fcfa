import Signal

/// A sound that is made, in blocks of one length on a grid counted from its frame 0.
///
/// A block is a function of its place alone: whatever is read, in whichever pieces, from wherever, is cut out of the same blocks.
protocol Generator: Sendable {
  /// Frames in a block of the grid.
  var blockLength: Int { get }
  var edges: Edges { get }

  /// Writes all frames of the block that begins at frame `start`, a multiple of `blockLength`, without the edges.
  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime)
}

/// How a sound begins and ends: short ramps that keep it from clicking.
struct Edges: Sendable {
  /// Of the whole sound in frames, `.endless` if it has no end.
  var length: FrameCount
  /// Frames of the ramp at the beginning; the first frame is already above zero.
  var rise: FrameCount
  /// Frames of the ramp at the end; the last frame is exactly zero.
  var fall: FrameCount

  /// An endless sound that begins without a click.
  static func endless(at rate: SampleRate) -> Edges {
    Edges(length: .endless, rise: rate.frames(0.005), fall: 0)
  }

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
