import Synchronization

/// Releases memory when the kernel reports memory pressure. Does nothing on a kernel without such reports.
final class MemoryPressureMonitor: Sendable {
  /// Seconds between two readings. The kernel updates its averages at the same interval.
  private static let interval = 2.0
  /// The pressure at which memory is released: the percentage of the last ten seconds during which a process waited for
  /// memory.
  private static let limit = 10.0

  private struct State {
    var last = -Double.infinity
    var isReleasing = false
  }

  private let path: String
  private let state = Mutex(State())
  private let release: @Sendable () async -> Void

  /// - Parameters:
  ///   - path: the path of the kernel's report.
  ///   - release: called at each reading that reaches the limit, unless the call before has not returned yet.
  init(path: String, release: @escaping @Sendable () async -> Void) { (self.path, self.release) = (path, release) }

  /// Reads the kernel's report if a reading is due. The control thread calls it in each pass of a live session.
  ///
  /// - Parameter now: seconds of the monotonic clock.
  func check(at now: Double) {
    let isDue = state.withLock { state in
      guard state.last + Self.interval <= now, !state.isReleasing else { return false }
      state.last = now
      return true
    }
    guard isDue, Self.limit <= Self.pressure(in: ProcessMemory.text(of: path)) else { return }
    state.withLock { $0.isReleasing = true }
    Task {
      await release()
      state.withLock { $0.isReleasing = false }
    }
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
