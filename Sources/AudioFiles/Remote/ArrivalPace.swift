/// How a sound comes, in numbers: whether whoever plays it meanwhile would catch up with it.
struct ArrivalPace: Hashable {
  /// Bytes that have come since it is watched, and nanoseconds that they took.
  var bytes: Int64
  var nanoseconds: Int64
  /// Bytes from its beginning on that are here, whenever they came.
  var here: Int64

  /// So much is looked at before anything is said: the first bytes say little of those behind them.
  private static let (leastBytes, leastNanoseconds): (Int64, Int64) = (256 << 10, 500_000_000)
  /// How many times faster than it plays it has to come, and how many seconds of it are here before it is begun: a
  /// network slows down, or stands still for a moment.
  private static let (haste, reserve) = (2.0, 2.0)

  /// - Parameter rate: bytes that a second of playing takes.
  func outruns(_ rate: Double) -> Bool {
    guard Self.leastBytes <= bytes || Self.leastNanoseconds <= nanoseconds else { return false }
    return Self.haste * rate * Double(nanoseconds) / 1e9 <= Double(bytes) && Self.reserve * rate <= Double(here)
  }
}
