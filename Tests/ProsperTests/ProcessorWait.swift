import Foundation
import Glibc
import Synchronization

/// How long a program was ready to run without getting a processor, as the kernel counts it for each thread.
///
/// It distinguishes an underrun caused by a busy machine from one caused by the player.
final class ProcessorWait: Sendable {
  private let longest = Mutex(0.0)

  /// The longest wait in seconds of a thread between two readings; the kernel adds a wait when it ends. Zero if the
  /// kernel does not count waits.
  var seconds: Double { longest.withLock { $0 } }

  /// Reads the counts until the program has ended. Call it on a thread that may block.
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

  /// The seconds that each thread has waited so far.
  private static func waits(of pid: Int32) -> [String: Double] {
    let folder = "/proc/\(pid)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var waits: [String: Double] = [:]
    for thread in threads {
      // The nanoseconds that the thread has run, and has waited to run.
      let counts = (try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8))?.split(
        separator: " ")
      if let counts, 2 <= counts.count, let wait = Double(counts[1]) { waits[thread] = wait / 1e9 }
    }
    return waits
  }
}
