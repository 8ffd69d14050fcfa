/// Adapts the timeout of loads to the speed of this machine, so that a slow disk is not mistaken for one that hangs.
/// All times are seconds.
struct AdaptiveTimeoutManager: Sendable {
  /// How many of the last loads count.
  static let window = 5
  /// What is allowed beyond their average slowdown, and between which multiples of the expectation.
  static let margin = 1.5
  static let multipliers = 2.0...5.0
  /// By which an expectation is multiplied as long as nothing is known.
  static let standardMultiplier = 2.5

  /// Actual over expected time, oldest first.
  private var slowdowns: [Double] = []

  /// Records a load that has ended. Times that are not finite, not positive or negative are ignored.
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
