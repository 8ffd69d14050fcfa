import Rings
import Signal

/// One slot of the mixer: its ring, which it keeps for good, and what it plays now.
///
/// Used by the render thread alone.
struct Voice: ~Copyable {
  private var ring: RingReader<Frame>
  private(set) var isPlaying = false
  /// The position of the voice in the sum, see `VoiceStart.ordinal`.
  private(set) var ordinal: UInt128 = 0
  private(set) var bus = Bus.music
  /// The session frame at which the sound's first frame was rendered.
  private var begin: FrameTime = 0
  private var gain: Float = 1
  private var fadeIn = Fade.unity
  private var fadeOut = Fade.unity
  private var leave = Fade.unity
  private var ramp = Fade.unity
  /// Frames until its planned end; `.endless` if there is none.
  private(set) var remaining: FrameCount = 0
  /// Frames that the feed did not deliver in time. They are skipped when they arrive, so that the voice stays on its
  /// timeline.
  private var owed: FrameCount = 0
  /// Frames of its ring that have been rendered, including those that a rewind has made unread again.
  private var rendered = 0
  private var gap = Gap()

  init(ring: consuming RingReader<Frame>) { self.ring = ring }

  /// Starts a sound at `frame`, or continues one that had started before the render was rewound to `frame`.
  @_noLocks mutating func start(_ part: VoiceStart, at frame: FrameTime) {
    isPlaying = true
    ordinal = part.ordinal
    bus = part.bus
    gain = part.gain
    fadeIn = part.fadeIn
    fadeOut = part.fadeOut
    leave = part.leave
    ramp = part.ramp
    owed = 0
    gap = Gap()
    if part.isUnderWay {
      let heard = frame &- part.begin
      remaining = part.length == .endless ? .endless : part.length &- heard
      // After a rewind the ring may not yet have reached the frame: the difference is late.
      if FrameCount(ring.consumed) < heard {
        owed = heard &- FrameCount(ring.consumed)
        gap = Gap(missing: owed)
      }
    } else {
      begin = frame
      remaining = part.length
      ring.begin()
      rendered = 0
    }
  }

  /// Stops, and prepares to continue from `frame`, which it has rendered before.
  ///
  /// A second rewind before it plays again may also move it forward, as far as it had been rendered before the first
  /// one.
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
  @_noLocks func holds(_ frames: Int) -> Bool {
    let wanted = remaining < FrameCount(frames) ? remaining : FrameCount(frames)
    return ring.isClosed || owed &+ wanted <= FrameCount(ring.count)
  }

  /// Whether frames are still missing that should have been rendered already.
  var isLate: Bool { @_noLocks get { 0 < owed } }

  /// Whether its feed should be woken: half of the ring's usable room is free, and more frames are to come.
  var isHungry: Bool {
    @_noLocks get {
      ring.count &* 2 < ring.capacity &- ring.held && FrameCount(ring.count) < remaining && !ring.isClosed
    }
  }

  /// Before the voice starts: whether its feed has delivered `frames` frames, or all it has.
  @_noLocks func isFed(_ frames: Int, isUnderWay: Bool) -> Bool {
    ring.isClosed || frames <= (isUnderWay ? ring.count : ring.countFromBeginning)
  }

  /// Sets the gains of the `count` frames from session frame `frame` on, without those of its bus.
  @_noLocks func setGains(_ gains: inout GainBuffer, from frame: FrameTime, count: Int) {
    gains.begin(gain, count: count)
    gains.multiply(by: fadeIn, from: frame)
    gains.multiply(by: fadeOut, from: frame)
    gains.multiply(by: leave, from: frame)
    gains.multiply(by: ramp, from: frame)
  }

  /// Adds up to `count` frames to the mix. The voice ends with its planned length or with its feed.
  ///
  /// - Returns: the frames of a gap that has just ended; otherwise 0.
  @_noLocks mutating func add(
    to mix: UnsafeMutablePointer<Frame>, count: Int, gains: borrowing GainBuffer
  ) -> FrameCount {
    let isClosed = ring.isClosed
    skipOwed()
    let wanted = remaining < FrameCount(count) ? Int(remaining) : count
    gap.addTail(of: ring, at: 0, to: mix, count: wanted, gains: gains)
    var done = 0
    while owed == 0, done < wanted {
      let stretch = ring.stretch(limit: wanted &- done)
      if stretch.count == 0 { break }
      gap.add(stretch, at: done, to: mix, gains: gains)
      ring.skip(stretch.count)
      done &+= stretch.count
    }
    let over = 0 < done ? gap.close() : 0
    let isOver = isClosed && done < wanted
    let passed = isOver ? done : wanted
    remaining &-= FrameCount(passed)
    if done < passed { miss(passed &- done, at: done, of: mix, gains: gains) }
    isPlaying = !isOver && remaining != 0
    return isPlaying || 0 < over ? over : gap.close()
  }

  /// Whether a gap has become longer than `length` within the last `count` frames.
  @_noLocks func hasStalled(for length: FrameCount, within count: Int) -> Bool {
    length < gap.missing && gap.missing &- FrameCount(count) <= length
  }

  /// Accounts for `count` frames that are missing at index `offset` of the mix, and begins the fade-out of a new gap.
  @_noLocks private mutating func miss(
    _ count: Int, at offset: Int, of mix: UnsafeMutablePointer<Frame>, gains: borrowing GainBuffer
  ) {
    let isBeginning = gap.missing == 0
    gap.grow(by: count, behind: ring.consumed)
    owed &+= FrameCount(count)
    if isBeginning { gap.addTail(of: ring, at: offset, to: mix, count: offset &+ count, gains: gains) }
  }

  /// Skips the frames that arrived too late.
  @_noLocks private mutating func skipOwed() {
    if owed == 0 { return }
    let late = FrameCount(ring.count) < owed ? ring.count : Int(owed)
    ring.skip(late)
    owed &-= FrameCount(late)
  }
}
