import Rings
import Signal

/// Spares a listener the clicks where the sound of a voice stays away: its last frames go on as in a mirror while they
/// fade, and what comes in the end rises.
struct Gap {
  /// Frames of either fade.
  static var fade: Int { @_noLocks get { 256 } }

  /// Frames that are missing so far; 0 while the voice sounds.
  private(set) var missing: FrameCount = 0
  /// How many frames had been read where the sound stayed away.
  private var edge = 0
  /// Frames of the fades that have sounded.
  private var fallen = Gap.fade
  private var risen = Gap.fade

  /// - Parameter missing: frames, where a voice is taken up within a gap.
  @_noLocks init(missing: FrameCount = 0) {
    self.missing = missing
    if 0 < missing { risen = 0 }
  }

  /// Nothing comes behind the `edge` frames that have been read.
  @_noLocks mutating func grow(by count: Int, behind edge: Int) {
    if missing == 0 { (self.edge, fallen, risen) = (edge, 0, 0) }
    missing &+= FrameCount(count)
  }

  /// - Returns: the frames that were missing, once it sounds again or is over otherwise.
  @_noLocks mutating func close() -> FrameCount {
    defer { missing = 0 }
    return missing
  }

  /// Adds what is left of the falling mirror image.
  @_noLocks mutating func addTail(
    of ring: borrowing RingReader<Frame>, at first: Int, to mix: UnsafeMutablePointer<Frame>, count: Int,
    gains: borrowing GainBuffer
  ) {
    var index = first
    while fallen < Self.fade, index < count {
      guard let frame = ring.past(edge &- 2 &- fallen) else { break }
      fallen &+= 1
      gains.add(frame * (1 - Float(Int32(fallen)) / Float(Int32(Self.fade))), at: index, to: mix)
      index &+= 1
    }
  }

  /// Adds sound, which rises behind a gap.
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
