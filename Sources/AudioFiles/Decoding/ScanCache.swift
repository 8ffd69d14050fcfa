import Synchronization

/// Remembers the scans of MPEG files: a session opens the same files repeatedly, and a scan reads the whole file.
///
/// Any thread may call it.
final class ScanCache: Sendable {
  /// The most scans; when it is reached, all are forgotten.
  private static let capacity = 256
  private let scans = Mutex<[RegularFile.Identity: MPEGScan]>([:])

  /// The scan of a file, from memory if its content has not changed; nil if the file has no MPEG sound.
  func scan(_ file: RegularFile) -> MPEGScan? {
    if let known = scans.withLock({ $0[file.identity] }) { return known }
    var scanner = MPEGScanner(file)
    guard let scan = scanner.scan(from: ID3Tag.length(file)) else { return nil }
    scans.withLock { scans in
      if scans.count >= Self.capacity { scans.removeAll() }
      scans[file.identity] = scan
    }
    return scan
  }
}
