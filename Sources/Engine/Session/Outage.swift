/// An outage: a time without a connection to the output. Computes when to try to reconnect.
struct Outage: Hashable {
  /// The shortest and the longest interval between two attempts, in seconds. Each interval is twice as long as the one
  /// before.
  private static let intervals = 0.05...2.0

  /// When the outage began, in seconds of the monotonic clock.
  let since: Double
  /// When the session gives up, in seconds of the monotonic clock.
  private(set) var deadline: Double
  /// Why the output was lost.
  let error: SinkError
  /// When to make the next attempt, in seconds of the monotonic clock.
  private(set) var nextTry: Double
  private var interval = intervals.lowerBound

  init(since: Double, timeout: Double, error: SinkError) {
    self.since = since
    deadline = since + timeout
    self.error = error
    nextTry = since + interval
  }

  /// Continues the attempts of an earlier outage, whose last one has failed soon after it had succeeded.
  ///
  /// - Parameter sharesDeadline: whether the session gives up when it would have given up in the earlier outage.
  mutating func follow(_ earlier: Outage, sharesDeadline: Bool, now: Double) {
    interval = earlier.interval
    if sharesDeadline { deadline = earlier.deadline }
    failed(now: now)
  }

  /// Records that an attempt has failed.
  mutating func failed(now: Double) {
    interval = min(2 * interval, Self.intervals.upperBound)
    nextTry = now + interval
  }
}
