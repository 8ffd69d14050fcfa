import ProsperKit
import Synchronization

/// The progress of all downloads of a session as one line on a terminal. Any thread may use it.
final class DownloadLine: Sendable {
  private let line = ProgressLine("downloading sounds")
  private let files = Mutex<[String: DownloadProgress]>([:])

  /// Shows how much of the sounds has arrived whose size is known.
  func show(_ progress: DownloadProgress) {
    let (bytes, total, isKnown) = files.withLock { files in
      files[progress.address] = progress
      let known = files.values.filter { $0.total != nil }
      return (
        files.values.reduce(0) { $0 + $1.bytes }, known.reduce(0) { $0 + ($1.total ?? 0) }, known.count == files.count
      )
    }
    let count = Self.megabytes(bytes) + (isKnown ? " of \(Self.megabytes(total))" : "") + " MB"
    line.show(isKnown ? Double(bytes) / Double(max(1, total)) : 0, count)
  }

  func end() { line.end() }

  private static func megabytes(_ bytes: Int64) -> String {
    let tenths = bytes / 100_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
