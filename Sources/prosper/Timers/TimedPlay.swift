import Glibc

/// A session with its times, length and outputs, as far as they matter for others at the same time.
struct TimedPlay {
  var title: String
  var times: CalendarTimes
  /// Seconds; nil if only the listener ends it.
  var length: Double?
  var outputs: Set<String>

  init(_ facts: ScheduledPlay.Facts, at times: CalendarTimes) {
    (title, self.times, length, outputs) = (facts.title, times, facts.length, facts.outputs)
  }

  /// A session that is scheduled already; nil if it was scheduled by an earlier version, which saved no length, or if its
  /// times are not valid any more.
  init?(_ timer: SessionTimer) {
    guard let times = timer.times, let outputs = timer.outputs else { return nil }
    (title, self.times, length, self.outputs) = (timer.title, times, timer.length, Set(outputs))
  }

  /// The first time at which this session and a later one play at once into the same output; nil if they never do.
  ///
  /// - Returns: when both begin, in seconds since 1970.
  func overlap(with later: TimedPlay, around now: time_t) -> (own: time_t, later: time_t)? {
    if outputs.isDisjoint(with: later.outputs) { return nil }
    // Around each date of the one, the other is looked for among its days of the week.
    let centres = [times, later.times].flatMap {
      if case .dates = $0.days { $0.moments(around: now) } else { [time_t]() }
    }
    let times = centres.isEmpty ? [now] : centres
    return times.lazy.compactMap { self.overlap(with: later, near: $0, after: now) }.first
  }

  private func overlap(
    with later: TimedPlay, near moment: time_t, after now: time_t
  ) -> (own: time_t, later: time_t)? {
    let own = times.moments(around: moment)
    for begin in later.times.moments(around: moment) where now <= begin {
      // When a session ends that only the listener ends, nobody knows.
      guard let last = own.last(where: { $0 <= begin }) else { continue }
      if Double(begin - last) < length ?? 0 || begin == last { return (last, begin) }
    }
    return nil
  }

  /// Two of its own times between which it is not over; nil if there are none.
  func overlapWithItself(after now: time_t) -> (first: time_t, second: time_t)? {
    let moments = times.moments(around: now).filter { now <= $0 }
    return zip(moments, moments.dropFirst()).first { Double($1 - $0) < length ?? 0 }.map { ($0, $1) }
  }
}
