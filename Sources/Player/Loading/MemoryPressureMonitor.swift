import Synchronization

/// Releases memory when the kernel reports memory pressure. Does nothing on a kernel without such reports.
final class MemoryPressureMonitor: Sendable {
  /// Seconds between two readings. The kernel updates its averages at the same interval.
  private static let interval = 2.0
  /// The pressure at which memory is released: the percentage of the last ten seconds during which a process waited for
  /// memory.
  private static let limit = 10.0

  private let path: String
  private let last = Mutex(-Double.infinity)
  private let release: @Sendable () -> Void

  /// - Parameters:
  ///   - path: the path of the kernel's report.
  ///   - release: called at each reading that reaches the limit; must not wait.
  init(path: String, release: @escaping @Sendable () -> Void) { (self.path, self.release) = (path, release) }

  /// Reads the kernel's report if a reading is due. The control thread calls it in each pass of a live session.
  ///
  /// - Parameter now: seconds of the monotonic clock.
  func check(at now: Double) {
    let isDue = last.withLock { last in
      guard last + Self.interval <= now else { return false }
      last = now
      return true
    }
    if isDue, Self.limit <= Self.pressure(in: ProcessMemory.text(of: path)) { release() }
  }

  /// The pressure in a report, as a percentage; 0 if it contains none.
  ///
  /// - Parameter report: a line such as `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`, and a second line for the
  ///   time in which all processes waited.
  static func pressure(in report: String) -> Double {
    let average = report.split { $0 == " " || $0 == "\n" }.first { $0.hasPrefix("avg10=") }
    return average.flatMap { Double($0.dropFirst(6)) } ?? 0
  }
}
