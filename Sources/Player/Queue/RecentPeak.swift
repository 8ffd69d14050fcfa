/// The greatest depth of the last minute.
struct RecentPeak {
  /// One minute in nanoseconds.
  static let window: Int64 = 60_000_000_000

  /// Depths in descending order, and when each was last reached. There are never more entries than the greatest depth
  /// plus one.
  private var peaks: [(depth: Int, until: Int64)] = []
  private var current = 0

  /// Notes that the depth changes to `depth`. `now` is nanoseconds and never decreases.
  mutating func note(_ depth: Int, at now: Int64) {
    hold(current, at: now)
    hold(depth, at: now)
    current = depth
  }

  /// The greatest depth in the minute before `now`.
  func depth(at now: Int64) -> Int { max(current, peaks.first { now - $0.until <= Self.window }?.depth ?? 0) }

  private mutating func hold(_ depth: Int, at now: Int64) {
    while let last = peaks.last, last.depth <= depth { peaks.removeLast() }
    peaks.append((depth, now))
    while let first = peaks.first, now - first.until > Self.window { peaks.removeFirst() }
  }
}
