/// Learns how slow this machine really is, so that a slow disk is not taken for one that hangs. Times are seconds.
struct AdaptiveTimeoutManager: Sendable {
  /// How many of the last samples count.
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

  /// How long to wait for one that is expected to take so long.
  func timeout(expecting seconds: Double) -> Double { max(0, seconds) * multiplier }

  private var multiplier: Double {
    if slowdowns.isEmpty { return Self.standardMultiplier }
    let recommended = slowdowns.reduce(0, +) / Double(slowdowns.count) * Self.margin
    return min(max(recommended, Self.multipliers.lowerBound), Self.multipliers.upperBound)
  }
}
