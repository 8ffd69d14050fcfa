internal import Signal

/// A simulated listener who hears one frame after the other in real time: the clock of outputs without a clock.
///
/// The position is a closed form of the start, so it never drifts. Sound that is written too late is heard late, as
/// with a sound card: it continues where it stopped, and the lost time is not made up for. The clock stops while the
/// computer sleeps.
struct ListenerClock {
  typealias Instant = SuspendingClock.Instant

  private let rate: SampleRate
  /// The most frames that may be written ahead of the listener.
  private let most: FrameCount
  /// The frames ahead of the listener at which writing continues: this saves wake-ups.
  private let least: FrameCount
  /// When frame 0 was heard, or would have been heard; nil before the first write.
  private var origin: Instant?
  private(set) var written: FrameCount = 0
  /// The end of the audible sound: frames that were cut off play until others replace them.
  private var furthest: FrameCount = 0

  init(rate: SampleRate, ahead most: Double, refill least: Double) {
    self.rate = rate
    self.most = rate.frames(most)
    self.least = rate.frames(least)
  }

  func heard(at now: Instant) -> FrameCount {
    guard let origin else { return 0 }
    return min(written, elapsed(since: origin, at: now))
  }

  /// When a block of `count` frames may be written; nil for immediately. A block that is longer than `most` is accepted
  /// before the listener has heard everything.
  func due(_ count: FrameCount, at now: Instant) -> Instant? {
    written - heard(at: now) + count <= max(most, least + count) ? nil : moment(of: written - least)
  }

  /// - Returns: seconds of silence before the block; 0 if it was written in time.
  mutating func wrote(_ count: FrameCount, at now: Instant) -> Double {
    let passed = origin.map { elapsed(since: $0, at: now) } ?? written
    let late = max(0, passed - written)
    let missing = max(0, passed - max(furthest, written))
    if origin == nil || 0 < late { origin = now - duration(of: written) }
    written += count
    furthest = max(written, furthest - late)
    return rate.seconds(missing)
  }

  /// The number of next frames that are heard too soon to be replaced.
  var near: FrameCount { rate.frames(0.005) }

  /// Discards what was written after `end`.
  mutating func cut(at end: FrameCount) { written = min(written, end) }

  /// When the frame is heard.
  func moment(of frame: FrameCount) -> Instant? { origin.map { $0 + duration(of: frame) } }

  private func elapsed(since origin: Instant, at now: Instant) -> FrameCount {
    let time = (now - origin).components
    let nanoseconds = time.attoseconds / 1_000_000_000
    return time.seconds * FrameCount(rate.hertz) + nanoseconds * FrameCount(rate.hertz) / 1_000_000_000
  }

  /// Rounded up, so that the frame has been heard at that moment.
  private func duration(of frames: FrameCount) -> Duration {
    let hertz = FrameCount(rate.hertz)
    let rest = (frames % hertz * 1_000_000_000 + hertz - 1) / hertz
    return .seconds(frames / hertz) + .nanoseconds(rest)
  }
}
