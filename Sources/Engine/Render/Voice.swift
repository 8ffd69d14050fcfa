import Rings
import Signal

/// One slot of the mixer: the reading end of its ring, and what it plays now. The ring is allocated once, and is reused
/// for one sound after the other.
///
/// Used by the render thread alone.
struct Voice: ~Copyable {
  private var ring: RingReader<Frame>
  private(set) var isPlaying = false
  /// Determines the order in which voices are summed, see `VoiceStart.ordinal`.
  private(set) var ordinal: UInt128 = 0
  private(set) var bus = Bus.music
  /// The session frame at which the sound's first frame was rendered.
  private var begin: FrameTime = 0
  private var gain: Float = 1
  private var fadeIn = Fade.unity
  private var fadeOut = Fade.unity
  private var leave = Fade.unity
  private var ramp = Fade.unity
  /// Frames until the planned end of the voice; `.endless` if there is none.
  private(set) var remaining: FrameCount = 0
  /// Frames that the feed has not delivered in time. They are skipped when they arrive, so that the frames after them
  /// are heard at their planned time.
  private var overdue: FrameCount = 0
  /// Frames of the ring that have been rendered, including those that a rewind has made unread again.
  private var rendered = 0
  private var concealment = UnderrunConcealment()

  init(ring: consuming RingReader<Frame>) { self.ring = ring }

  /// Whether a start at `frame` continues a sound that was rendered before `frame`. Otherwise the sound begins now,
  /// even if it should be under way: a rewind may have undone its late start, or dropped the command for it.
  @_noLocks func continues(_ part: VoiceStart, at frame: FrameTime) -> Bool {
    part.isUnderWay && ordinal == part.ordinal && begin < frame
  }

  /// Starts a sound at `frame`, or continues one that had started before the render was rewound to `frame`.
  ///
  /// - Returns: whether the sound begins.
  @_noLocks mutating func start(_ part: VoiceStart, at frame: FrameTime) -> Bool {
    let continues = continues(part, at: frame)
    isPlaying = true
    ordinal = part.ordinal
    bus = part.bus
    gain = part.gain
    fadeIn = part.fadeIn
    fadeOut = part.fadeOut
    leave = part.leave
    ramp = part.ramp
    overdue = 0
    concealment = UnderrunConcealment()
    if continues {
      let heard = frame &- part.begin
      remaining = part.length == .endless ? .endless : part.length &- heard
      // The ring may not have reached this frame before the rewind. The missing frames are overdue.
      if FrameCount(ring.consumed) < heard {
        overdue = heard &- FrameCount(ring.consumed)
        concealment = UnderrunConcealment(missing: overdue)
      }
    } else {
      begin = frame
      remaining = part.length
      ring.begin()
      rendered = 0
    }
    return !continues
  }

  /// Stops the voice, and moves its ring to `frame`, so that a later `start` continues there.
  ///
  /// After a second rewind without a `start` in between, `frame` may be later than after the first one. The ring is
  /// then moved forward, but not beyond what was rendered before the first rewind.
  @_noLocks mutating func rewind(to frame: FrameTime) {
    isPlaying = false
    if rendered < ring.consumed { rendered = ring.consumed }
    let target = Int(frame &- begin)
    if target < ring.consumed {
      _ = ring.stepBack(to: target < 0 ? 0 : target)
    } else {
      ring.skip((target < rendered ? target : rendered) &- ring.consumed)
    }
  }

  /// Whether the next `frames` frames can be rendered without waiting for the feed.
  @_noLocks func hasBuffered(_ frames: Int) -> Bool {
    let wanted = remaining < FrameCount(frames) ? remaining : FrameCount(frames)
    return ring.isClosed || overdue &+ wanted <= FrameCount(ring.count)
  }

  /// Whether frames are still missing that should have been rendered already.
  var isLate: Bool { @_noLocks get { 0 < overdue } }

  /// Whether the feed should be woken: half of the ring's usable capacity is free, and the voice needs more frames than
  /// the ring holds.
  var needsData: Bool {
    @_noLocks get {
      ring.count &* 2 < ring.capacity &- ring.held && FrameCount(ring.count) < remaining && !ring.isClosed
    }
  }

  /// Whether the feed of a voice that has not started yet has delivered `frames` frames from the start at `frame` on,
  /// or its whole sound.
  @_noLocks func isFed(_ frames: Int, for part: VoiceStart, at frame: FrameTime) -> Bool {
    ring.isClosed || frames <= (continues(part, at: frame) ? ring.count : ring.countFromBeginning)
  }

  /// Sets the gains of `count` frames from session frame `frame` on, without the volume of the bus.
  @_noLocks func setGains(_ gains: inout GainBuffer, from frame: FrameTime, count: Int) {
    gains.begin(gain, count: count)
    gains.multiply(by: fadeIn, from: frame)
    gains.multiply(by: fadeOut, from: frame)
    gains.multiply(by: leave, from: frame)
    gains.multiply(by: ramp, from: frame)
  }

  /// Adds up to `count` frames to the mix. The voice ends at its planned end, or at the end of its sound.
  ///
  /// - Returns: the length in frames of a gap that has just ended; 0 if none has.
  @_noLocks mutating func add(
    to mix: UnsafeMutablePointer<Frame>, count: Int, gains: borrowing GainBuffer
  ) -> FrameCount {
    let isClosed = ring.isClosed
    skipOverdue()
    let wanted = remaining < FrameCount(count) ? Int(remaining) : count
    concealment.addFadeOut(of: ring, at: 0, to: mix, count: wanted, gains: gains)
    var done = 0
    while overdue == 0, done < wanted {
      let frames = ring.readable(limit: wanted &- done)
      if frames.count == 0 { break }
      concealment.add(frames, at: done, to: mix, gains: gains)
      ring.skip(frames.count)
      done &+= frames.count
    }
    let over = 0 < done ? concealment.end() : 0
    let isOver = isClosed && done < wanted
    let passed = isOver ? done : wanted
    remaining &-= FrameCount(passed)
    if done < passed { miss(passed &- done, at: done, of: mix, gains: gains) }
    isPlaying = !isOver && remaining != 0
    return isPlaying || 0 < over ? over : concealment.end()
  }

  /// Whether a gap became longer than `length` within the last `count` frames, so that it is reported once.
  @_noLocks func hasStalled(for length: FrameCount, within count: Int) -> Bool {
    length < concealment.missing && concealment.missing &- FrameCount(count) <= length
  }

  /// Counts `count` missing frames at index `offset` of the mix. If they begin a gap, adds the fade-out to the mix.
  @_noLocks private mutating func miss(
    _ count: Int, at offset: Int, of mix: UnsafeMutablePointer<Frame>, gains: borrowing GainBuffer
  ) {
    let isBeginning = concealment.missing == 0
    concealment.extend(by: count, after: ring.consumed)
    overdue &+= FrameCount(count)
    if isBeginning { concealment.addFadeOut(of: ring, at: offset, to: mix, count: offset &+ count, gains: gains) }
  }

  /// Skips overdue frames that have arrived.
  @_noLocks private mutating func skipOverdue() {
    if overdue == 0 { return }
    let late = FrameCount(ring.count) < overdue ? ring.count : Int(overdue)
    ring.skip(late)
    overdue &-= FrameCount(late)
  }
}
