/// A time without a connection to the output, with the times of the attempts to reconnect.
struct Outage: Hashable {
  /// Seconds between two attempts: each pause is twice as long as the previous one.
  private static let pauses = 0.05...2.0

  /// Seconds of the monotonic clock.
  let since: Double
  let error: SinkError
  private(set) var nextTry: Double
  private var pause = pauses.lowerBound

  init(since: Double, error: SinkError) {
    self.since = since
    self.error = error
    nextTry = since + pause
  }

  mutating func failed(now: Double) {
    pause = min(2 * pause, Self.pauses.upperBound)
    nextTry = now + pause
  }
}
