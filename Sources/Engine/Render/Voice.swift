import Rings
import Signal

/// One slot of the mixer: its ring for life, and the part that it plays just now.
struct Voice: ~Copyable {
  private var ring: RingReader<Frame>
  private(set) var isPlaying = false
  private(set) var ordinal: Int64 = 0
  private(set) var bus = Bus.music
  /// The frame at which its first one sounded.
  private var begin: FrameTime = 0
  private var gain: Float = 1
  private var fadeIn = Fade.unity
  private var fadeOut = Fade.unity
  private var leave = Fade.unity
  private var ramp = Fade.unity
  /// Frames until its planned end.
  private(set) var remaining: FrameCount = 0
  /// Frames that were not there in time; they are left out when they come, so that the voice stays in its place.
  private var owed: FrameCount = 0
  /// Frames of its ring that have been rendered, though some of them may have been taken back since.
  private var rendered = 0
  private var gap = Gap()

  init(ring: consuming RingReader<Frame>) { self.ring = ring }

  /// Begins its part at `frame`, or goes on with one that it had begun before the render was taken back to `frame`.
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

  /// Falls silent and makes ready to go on from `frame`, which it has played already.
  ///
  /// Taken back once more before it has sounded again, it goes forward: what it played before was heard up to there.
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

  /// Whether `frames` can be rendered without waiting for the feed.
  @_noLocks func holds(_ frames: Int) -> Bool {
    let wanted = remaining < FrameCount(frames) ? remaining : FrameCount(frames)
    return ring.isClosed || owed &+ wanted <= FrameCount(ring.count)
  }

  /// Whether frames are missing that should have sounded already.
  var isLate: Bool { @_noLocks get { 0 < owed } }

  /// Whether its feed should be woken: half of what it may hold is free and more is to come.
  var isHungry: Bool {
    @_noLocks get {
      ring.count &* 2 < ring.capacity &- ring.held && FrameCount(ring.count) < remaining && !ring.isClosed
    }
  }

  /// Whether its feed has delivered that many frames of a part that is yet to be started, or all that it has.
  @_noLocks func isFed(_ frames: Int, isUnderWay: Bool) -> Bool {
    ring.isClosed || frames <= (isUnderWay ? ring.count : ring.countFromBeginning)
  }

  @_noLocks func setGains(_ gains: inout GainBuffer, from frame: FrameTime, count: Int) {
    gains.begin(gain, count: count)
    gains.multiply(by: fadeIn, from: frame)
    gains.multiply(by: fadeOut, from: frame)
    gains.multiply(by: leave, from: frame)
    gains.multiply(by: ramp, from: frame)
  }

  /// Adds up to `count` frames to the mix; a feed that has ended ends the voice.
  ///
  /// - Returns: the length of a gap that is over.
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

  /// Whether a gap has become longer than that with the last `count` frames.
  @_noLocks func hasStalled(for length: FrameCount, within count: Int) -> Bool {
    length < gap.missing && gap.missing &- FrameCount(count) <= length
  }

  @_noLocks private mutating func miss(
    _ count: Int, at offset: Int, of mix: UnsafeMutablePointer<Frame>, gains: borrowing GainBuffer
  ) {
    let isBeginning = gap.missing == 0
    gap.grow(by: count, behind: ring.consumed)
    owed &+= FrameCount(count)
    if isBeginning { gap.addTail(of: ring, at: offset, to: mix, count: offset &+ count, gains: gains) }
  }

  @_noLocks private mutating func skipOwed() {
    if owed == 0 { return }
    let late = FrameCount(ring.count) < owed ? ring.count : Int(owed)
    ring.skip(late)
    owed &-= FrameCount(late)
  }
}
