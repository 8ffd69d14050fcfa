import Signal

/// Generates a sound in blocks of equal length; the first one begins at frame 0.
///
/// The content of a block depends on its position alone. Every read copies from these blocks, so a frame has the same
/// bits wherever reading begins and whatever the size of the reads.
protocol Generator: Sendable {
  /// Frames per block.
  var blockLength: Int { get }
  /// The length of the sound, and the fades at its ends.
  var envelope: Envelope { get }

  /// Writes all frames of the block that begins at frame `start`, a multiple of `blockLength`. The caller applies
  /// `envelope`.
  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime)
}

/// The length of a sound, and short fades at its ends that avoid clicks.
struct Envelope: Sendable {
  /// The length of the whole sound in frames; `.endless` if it has no end.
  var length: FrameCount
  /// Frames of the linear fade-in; the gain of the first frame is already above 0.
  var attack: FrameCount
  /// Frames of the fade-out; the gain of the last frame is exactly 0.
  var release: FrameCount

  /// An endless sound that begins without a click.
  static func endless(at rate: SampleRate) -> Envelope {
    Envelope(length: .endless, attack: rate.frames(0.005), release: 0)
  }

  /// Applies the fades to the block that begins at frame `start`.
  func shape(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let rising = max(0, min(FrameCount(block.count), attack &- start))
    for index in 0..<Int(rising) {
      block[index] = block[index] * (Float(Int32(start) + Int32(index) + 1) / Float(attack + 1))
    }
    guard length != .endless, length &- release < start &+ FrameCount(block.count) else { return }
    let ending = Fade.falling(at: length &- 1 &- release, over: release, .sCurve)
    for index in block.indices {
      block[index] = block[index] * ending.gain(at: start &+ FrameTime(index))
    }
  }
}
