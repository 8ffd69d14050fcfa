/// The greatest depth of the last minute.
struct RecentPeak {
  /// Nanoseconds.
  static let window: Int64 = 60_000_000_000

  /// Depths, each greater than those after it, and when each was last reached: never more than the greatest depth.
  private var peaks: [(depth: Int, until: Int64)] = []
  private var current = 0

  /// The depth is `depth` from now on.
  mutating func note(_ depth: Int, at now: Int64) {
    hold(current, at: now)
    hold(depth, at: now)
    current = depth
  }

  func depth(at now: Int64) -> Int { max(current, peaks.first { now - $0.until <= Self.window }?.depth ?? 0) }

  private mutating func hold(_ depth: Int, at now: Int64) {
    while let last = peaks.last, last.depth <= depth { peaks.removeLast() }
    peaks.append((depth, now))
    while let first = peaks.first, now - first.until > Self.window { peaks.removeFirst() }
  }
}
