import Rings
import Signal

/// Avoids clicks where a voice underruns, that is, where its feed has not decoded the next frames in time.
///
/// At the beginning of the gap, the last frames are played backwards and fade out. After the gap, the sound fades in.
/// Both fades are linear. Used by the render thread alone; each `Voice` has its own.
struct UnderrunConcealment {
  /// Frames of the fade-out, and of the fade-in.
  static var fadeLength: Int { @_noLocks get { 256 } }

  /// Frames that have been missing so far; 0 while there is no gap.
  private(set) var missing: FrameCount = 0
  /// How many frames of the ring had been read when the gap began.
  private var gapStart = 0
  /// Frames of the fade-out that have been rendered.
  private var fadedOut = UnderrunConcealment.fadeLength
  /// Frames of the fade-in that have been rendered.
  private var fadedIn = UnderrunConcealment.fadeLength

  /// - Parameter missing: frames that are missing already when a voice continues within a gap; 0 for no gap.
  @_noLocks init(missing: FrameCount = 0) {
    self.missing = missing
    if 0 < missing { fadedIn = 0 }
  }

  /// Makes the gap `count` frames longer. The first call begins the gap.
  ///
  /// - Parameter consumed: how many frames of the ring have been read.
  @_noLocks mutating func extend(by count: Int, after consumed: Int) {
    if missing == 0 { (gapStart, fadedOut, fadedIn) = (consumed, 0, 0) }
    missing &+= FrameCount(count)
  }

  /// Ends the gap: the voice has frames again, or has ended.
  ///
  /// - Returns: the number of frames that were missing; 0 if there was no gap.
  @_noLocks mutating func end() -> FrameCount {
    defer { missing = 0 }
    return missing
  }

  /// Adds the rest of the fade-out at `first..<count` of the mix: frames of the ring, backwards from the gap's start.
  @_noLocks mutating func addFadeOut(
    of ring: borrowing RingReader<Frame>, at first: Int, to mix: UnsafeMutablePointer<Frame>, count: Int,
    gains: borrowing GainBuffer
  ) {
    var index = first
    while fadedOut < Self.fadeLength, index < count {
      // The last frame of the ring has just been heard, so the mirror image begins with the one before it.
      guard let frame = ring.recent(gapStart &- 2 &- fadedOut) else { break }
      fadedOut &+= 1
      gains.add(frame * (1 - Float(Int32(fadedOut)) / Float(Int32(Self.fadeLength))), at: index, to: mix)
      index &+= 1
    }
  }

  /// Adds decoded frames to the mix; after a gap they fade in.
  @_noLocks mutating func add(
    _ sound: UnsafeBufferPointer<Frame>, at offset: Int, to mix: UnsafeMutablePointer<Frame>,
    gains: borrowing GainBuffer
  ) {
    if fadedIn == Self.fadeLength { return gains.add(sound, at: offset, to: mix + offset) }
    var index = 0
    while index < sound.count {
      if fadedIn < Self.fadeLength { fadedIn &+= 1 }
      gains.add(sound[index] * (Float(Int32(fadedIn)) / Float(Int32(Self.fadeLength))), at: offset &+ index, to: mix)
      index &+= 1
    }
  }
}
