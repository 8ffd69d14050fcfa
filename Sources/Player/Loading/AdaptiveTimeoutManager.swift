/// Learns how slow this machine really is, so that a slow disk is not taken for one that hangs. Times are seconds.
public struct AdaptiveTimeoutManager: Sendable {
  /// How many samples of each kind of operation are kept, and how many of the last ones count.
  static let window = 10
  static let counting = 5
  /// What is allowed beyond the average slowdown, and between which multiples of the expectation.
  static let margin = 1.5
  static let multipliers = 2.0...5.0
  /// For a kind of operation of which nothing is known.
  static let standardMultiplier = 2.5

  /// How one kind of operation has done against what was expected of it.
  public struct Statistics: Sendable, Hashable {
    public var count = 0
    /// Of the actual time over the expected one.
    public var averageSlowdown = 0.0
    public var greatestSlowdown = 0.0
    /// By which an expectation is multiplied to become a timeout.
    public var multiplier = AdaptiveTimeoutManager.standardMultiplier
  }

  /// Actual over expected time, by kind of operation, oldest first.
  private var slowdowns: [String: [Double]] = [:]

  public init() {}

  /// Takes note of one that came to its end. An expectation or a time that is no length of time is left out.
  public mutating func record(_ operation: String, expected: Double, actual: Double) {
    guard 0 < expected, expected.isFinite, 0 <= actual, actual.isFinite else { return }
    var samples = slowdowns[operation, default: []]
    if samples.count == Self.window { samples.removeFirst() }
    samples.append(actual / expected)
    slowdowns[operation] = samples
  }

  /// How long to wait for one that is expected to take so long.
  public func timeout(for operation: String, expected: Double) -> Double {
    max(0, expected) * statistics(of: operation).multiplier
  }

  public func statistics(of operation: String) -> Statistics {
    guard let samples = slowdowns[operation], let greatest = samples.max() else { return Statistics() }
    let last = samples.suffix(Self.counting)
    let recommended = last.reduce(0, +) / Double(last.count) * Self.margin
    return Statistics(
      count: samples.count, averageSlowdown: samples.reduce(0, +) / Double(samples.count), greatestSlowdown: greatest,
      multiplier: min(max(recommended, Self.multipliers.lowerBound), Self.multipliers.upperBound))
  }
}
