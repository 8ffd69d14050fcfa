/// Adapts the timeout of loads to the speed of this machine, so that a slow disk is not mistaken for one that hangs.
/// All times are seconds.
struct AdaptiveTimeoutManager: Sendable {
  /// The number of recent loads from which the timeout is computed.
  static let window = 5
  /// The factor between their average slowdown and the timeout.
  static let margin = 1.5
  /// The range of the timeout, as multiples of the expected time.
  static let multipliers = 2.0...5.0
  /// The multiple of the expected time before any load has been recorded.
  static let standardMultiplier = 2.5

  /// The actual divided by the expected times of the last loads, oldest first.
  private var slowdowns: [Double] = []

  /// Records a load that has ended. It is ignored if `expected` is not positive, if `actual` is negative, or if either
  /// is not finite.
  mutating func record(expected: Double, actual: Double) {
    guard 0 < expected, expected.isFinite, 0 <= actual, actual.isFinite else { return }
    slowdowns.append(actual / expected, keeping: Self.window)
  }

  /// The timeout of a load that is expected to take `seconds`.
  func timeout(expecting seconds: Double) -> Double { max(0, seconds) * multiplier }

  private var multiplier: Double {
    if slowdowns.isEmpty { return Self.standardMultiplier }
    let recommended = slowdowns.reduce(0, +) / Double(slowdowns.count) * Self.margin
    return min(max(recommended, Self.multipliers.lowerBound), Self.multipliers.upperBound)
  }
}
