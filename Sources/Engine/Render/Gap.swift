import Rings
import Signal

/// Avoids clicks where a voice's feed has no frames in time: the last frames are repeated backwards while they fade
/// out, and the sound after the gap fades in.
///
/// Used by the render thread alone, as a part of its `Voice`.
struct Gap {
  /// Frames of the fade-out and of the fade-in.
  static var fade: Int { @_noLocks get { 256 } }

  /// Frames that have been missing so far; 0 while there is no gap.
  private(set) var missing: FrameCount = 0
  /// How many frames of the ring had been read when the gap began.
  private var edge = 0
  /// Frames of the fade-out that have been rendered.
  private var fallen = Gap.fade
  /// Frames of the fade-in that have been rendered.
  private var risen = Gap.fade

  /// - Parameter missing: frames that are missing already when a voice continues within a gap; 0 for no gap.
  @_noLocks init(missing: FrameCount = 0) {
    self.missing = missing
    if 0 < missing { risen = 0 }
  }

  /// Makes the gap `count` frames longer. The first call begins it, after the `edge` frames that have been read.
  @_noLocks mutating func grow(by count: Int, behind edge: Int) {
    if missing == 0 { (self.edge, fallen, risen) = (edge, 0, 0) }
    missing &+= FrameCount(count)
  }

  /// Ends the gap: the voice has frames again, or is over.
  ///
  /// - Returns: the frames that were missing.
  @_noLocks mutating func close() -> FrameCount {
    defer { missing = 0 }
    return missing
  }

  /// Adds the rest of the fade-out, whose frames are read backwards from the edge, at `first..<count` of the mix.
  @_noLocks mutating func addTail(
    of ring: borrowing RingReader<Frame>, at first: Int, to mix: UnsafeMutablePointer<Frame>, count: Int,
    gains: borrowing GainBuffer
  ) {
    var index = first
    while fallen < Self.fade, index < count {
      guard let frame = ring.recent(edge &- 2 &- fallen) else { break }
      fallen &+= 1
      gains.add(frame * (1 - Float(Int32(fallen)) / Float(Int32(Self.fade))), at: index, to: mix)
      index &+= 1
    }
  }

  /// Adds decoded frames to the mix; after a gap they fade in.
  @_noLocks mutating func add(
    _ sound: UnsafeBufferPointer<Frame>, at offset: Int, to mix: UnsafeMutablePointer<Frame>,
    gains: borrowing GainBuffer
  ) {
    if risen == Self.fade { return gains.add(sound, at: offset, to: mix + offset) }
    var index = 0
    while index < sound.count {
      if risen < Self.fade { risen &+= 1 }
      gains.add(sound[index] * (Float(Int32(risen)) / Float(Int32(Self.fade))), at: offset &+ index, to: mix)
      index &+= 1
    }
  }
}
