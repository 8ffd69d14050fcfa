import Foundation
import Glibc
import Synchronization

/// How long a program was ready to run and the machine gave it no processor: the kernel counts it, thread by thread.
///
/// It tells an output that ran dry because the machine is too busy from one that ran dry because of the player.
final class ProcessorWait: Sendable {
  private let longest = Mutex(0.0)

  /// The most seconds that one thread has waited between two looks: the kernel adds a wait when it is over. Where it
  /// doesn't count, nobody waits.
  var seconds: Double { longest.withLock { $0 } }

  /// Looks until the program is gone, on a thread that may wait.
  func watch(_ pid: Int32) {
    var before = Self.waits(of: pid)
    while !before.isEmpty {
      poll(nil, 0, 10)
      let now = Self.waits(of: pid)
      let most = now.compactMap { thread, wait in before[thread].map { wait - $0 } }.max() ?? 0
      longest.withLock { $0 = max($0, most) }
      before = now
    }
  }

  /// Seconds of each thread so far.
  private static func waits(of pid: Int32) -> [String: Double] {
    let folder = "/proc/\(pid)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var waits: [String: Double] = [:]
    for thread in threads {
      // Nanoseconds that it ran, and waited to run.
      let counts = (try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8))?.split(
        separator: " ")
      if let counts, 2 <= counts.count, let wait = Double(counts[1]) { waits[thread] = wait / 1e9 }
    }
    return waits
  }
}
