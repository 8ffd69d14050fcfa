import Engine

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
  /// The interval before the first attempt.
  private var firstInterval = intervals.lowerBound

  init(since: Double, timeout: Double, error: SinkError) {
    self.since = since
    deadline = since + timeout
    self.error = error
    nextTry = since + interval
  }

  /// Waits twice as long before the first attempt as in an earlier outage, because the stream has failed soon after it
  /// was open again.
  ///
  /// - Parameter sharesDeadline: whether the session gives up when it would have given up in the earlier outage.
  mutating func follow(_ earlier: Outage, sharesDeadline: Bool, now: Double) {
    firstInterval = min(2 * earlier.firstInterval, Self.intervals.upperBound)
    interval = firstInterval
    nextTry = now + interval
    if sharesDeadline { deadline = earlier.deadline }
  }

  /// Records that an attempt has failed.
  mutating func failed(now: Double) {
    interval = min(2 * interval, Self.intervals.upperBound)
    nextTry = now + interval
  }
}
