import Histogram

/// Records durations in nanoseconds, in a fixed amount of memory: the last 100 exactly, and all of them in a histogram
/// with an error of at most a thousandth. A percentile is the nearest rank: the smallest recorded duration that at least
/// that share of all durations does not exceed.
struct DurationRecorder {
  /// How many durations are kept exactly.
  static let window = 100
  /// The longest duration that the histogram can contain: one hour. Longer ones count as one hour in the percentiles,
  /// but with their full length in maximum and mean.
  private static let longest: UInt64 = 3_600_000_000_000

  private var recent: [Int64] = []
  private var all = Histogram<UInt32>(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
  private var longest: Int64 = 0
  private var sum = 0.0
  private(set) var count = 0

  /// Records a duration; a negative one counts as 0.
  mutating func record(_ nanoseconds: Int64) {
    let nanoseconds = max(0, nanoseconds)
    recent.append(nanoseconds, keeping: Self.window)
    all.record(min(UInt64(nanoseconds), Self.longest))
    longest = max(longest, nanoseconds)
    sum += Double(nanoseconds)
    count += 1
  }

  var recentDistribution: QueueMetrics.Distribution { QueueMetrics.Distribution(sorted: recent.sorted()) }

  var durations: QueueMetrics.Durations { QueueMetrics.Durations(recent: recentDistribution, total: total) }

  private var total: QueueMetrics.Distribution {
    if count <= Self.window { return recentDistribution }
    // The histogram returns the upper edge of a bucket, which may exceed every measured value.
    func percentile(_ share: Double) -> Double { min(Int64(all.valueAtPercentile(share)), longest).milliseconds }
    return QueueMetrics.Distribution(
      p50: percentile(50), p95: percentile(95), p99: percentile(99), max: longest.milliseconds,
      mean: sum / Double(count) / 1e6, count: count)
  }
}

extension QueueMetrics.Distribution {
  /// - Parameter sorted: nanoseconds in ascending order.
  package init(sorted: [Int64]) {
    self.init()
    guard let last = sorted.last else { return }
    func percentile(_ percent: Int) -> Double { sorted[(sorted.count * percent + 99) / 100 - 1].milliseconds }
    (p50, p95, p99) = (percentile(50), percentile(95), percentile(99))
    (max, count) = (last.milliseconds, sorted.count)
    mean = sorted.reduce(0) { $0 + Double($1) } / Double(sorted.count) / 1e6
  }
}

extension Int64 {
  /// Nanoseconds as milliseconds.
  var milliseconds: Double { Double(self) / 1e6 }
}
