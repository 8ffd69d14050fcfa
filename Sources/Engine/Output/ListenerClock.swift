internal import Signal

/// A listener who hears one frame after the other in real time: the pace of outputs that have no clock of their own.
///
/// A closed form of the start, so it never drifts. Written too late, the sound is heard late, as from a sound card: it
/// goes on where it was, and the time that was lost is not caught up with. A computer's sleep is no time of this clock.
struct ListenerClock {
  typealias Instant = SuspendingClock.Instant

  private let rate: SampleRate
  /// How far the writer may be ahead.
  private let most: FrameCount
  /// How near to the listener it is let before it writes on: few wake-ups instead of one a block.
  private let least: FrameCount
  /// When frame 0 was, or would have been, heard; nil before the first write.
  private var origin: Instant?
  private(set) var written: FrameCount = 0
  /// The end of what there is to hear: what was cut off sounds on until something is written over it.
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

  /// When a block of `count` frames may be written; nil when at once. One that is longer than what the writer may be ahead
  /// isn't kept waiting until nothing is left.
  func due(_ count: FrameCount, at now: Instant) -> Instant? {
    written - heard(at: now) + count <= max(most, least + count) ? nil : moment(of: written - least)
  }

  /// - Returns: seconds that the listener had nothing to hear before; 0 where it came in time.
  mutating func wrote(_ count: FrameCount, at now: Instant) -> Double {
    let passed = origin.map { elapsed(since: $0, at: now) } ?? written
    let late = max(0, passed - written)
    let missing = max(0, passed - max(furthest, written))
    if origin == nil || 0 < late { origin = now - duration(of: written) }
    written += count
    furthest = max(written, furthest - late)
    return rate.seconds(missing)
  }

  /// As many frames as come too soon to be replaced.
  var near: FrameCount { rate.frames(0.005) }

  /// Forgets what was written behind `end`.
  mutating func cut(at end: FrameCount) { written = min(written, end) }

  /// When the frame is heard.
  func moment(of frame: FrameCount) -> Instant? { origin.map { $0 + duration(of: frame) } }

  private func elapsed(since origin: Instant, at now: Instant) -> FrameCount {
    let time = (now - origin).components
    let nanoseconds = time.attoseconds / 1_000_000_000
    return time.seconds * FrameCount(rate.hertz) + nanoseconds * FrameCount(rate.hertz) / 1_000_000_000
  }

  /// Rounded up: at its moment the frame is heard.
  private func duration(of frames: FrameCount) -> Duration {
    let hertz = FrameCount(rate.hertz)
    let rest = (frames % hertz * 1_000_000_000 + hertz - 1) / hertz
    return .seconds(frames / hertz) + .nanoseconds(rest)
  }
}
