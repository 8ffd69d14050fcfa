/// An outage: a time without a connection to the output. Computes when to try to reconnect.
struct Outage: Hashable {
  /// The shortest and the longest interval between two attempts, in seconds. Each interval is twice as long as the one
  /// before.
  private static let intervals = 0.05...2.0

  /// When the outage began, in seconds of the monotonic clock.
  private(set) var since: Double
  /// Seconds after which the session gives up.
  let timeout: Double
  /// Why the output was lost.
  let error: SinkError
  /// When to make the next attempt, in seconds of the monotonic clock.
  private(set) var nextTry: Double
  private var interval = intervals.lowerBound

  init(since: Double, timeout: Double, error: SinkError) {
    self.since = since
    self.timeout = timeout
    self.error = error
    nextTry = since + interval
  }

  /// Continues an earlier outage, whose last attempt has failed soon after it had succeeded.
  mutating func follow(_ earlier: Outage, now: Double) {
    (since, interval) = (earlier.since, earlier.interval)
    failed(now: now)
  }

  /// Records that an attempt has failed.
  mutating func failed(now: Double) {
    interval = min(2 * interval, Self.intervals.upperBound)
    nextTry = now + interval
  }
}
