internal import Signal

/// The clock of live outputs that have none of their own: it simulates a listener who hears the frames in real time.
///
/// The position is computed from the time of the start, so it never drifts. As with a sound card, frames that are
/// written too late are heard late, and all frames after them, too. The clock stops while the computer sleeps.
struct ListenerClock {
  typealias Instant = SuspendingClock.Instant

  private let rate: SampleRate
  /// The maximum number of frames that may be buffered, that is, written but not heard.
  private let most: FrameCount
  /// After a wait, writing continues when this many frames are still buffered. It is less than `most`, so that the
  /// writer wakes up less often.
  private let least: FrameCount
  /// When frame 0 was heard, or would have been heard; nil before the first write.
  private var origin: Instant?
  private(set) var written: FrameCount = 0
  /// The end of everything that would be heard if nothing more were written: frames after a rewind play until others
  /// replace them.
  private var furthest: FrameCount = 0

  init(rate: SampleRate, ahead most: Double, refill least: Double) {
    self.rate = rate
    self.most = rate.frames(most)
    self.least = rate.frames(least)
  }

  /// How many frames have been heard.
  func heard(at now: Instant) -> FrameCount {
    guard let origin else { return 0 }
    return min(written, elapsed(since: origin, at: now))
  }

  /// When a block of `count` frames may be written; nil for immediately. A block that is longer than `most` is accepted
  /// while frames are still buffered, so that there is no gap.
  func due(_ count: FrameCount, at now: Instant) -> Instant? {
    written - heard(at: now) + count <= max(most, least + count) ? nil : moment(of: written - least)
  }

  /// Records that a block was written.
  ///
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

  /// How many of the next frames will be heard too soon to be replaced.
  var near: FrameCount { rate.frames(0.005) }

  /// Rewinds to `end`: the next frames replace those after it.
  mutating func cut(at end: FrameCount) { written = min(written, end) }

  /// When a frame is heard; nil before the first write.
  func moment(of frame: FrameCount) -> Instant? { origin.map { $0 + duration(of: frame) } }

  private func elapsed(since origin: Instant, at now: Instant) -> FrameCount {
    let time = (now - origin).components
    let nanoseconds = time.attoseconds / 1_000_000_000
    return time.seconds * FrameCount(rate.hertz) + nanoseconds * FrameCount(rate.hertz) / 1_000_000_000
  }

  /// The duration of frames, rounded up, so that the last one has been heard at its end.
  private func duration(of frames: FrameCount) -> Duration {
    let hertz = FrameCount(rate.hertz)
    let rest = (frames % hertz * 1_000_000_000 + hertz - 1) / hertz
    return .seconds(frames / hertz) + .nanoseconds(rest)
  }
}
