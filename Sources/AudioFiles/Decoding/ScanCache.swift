import Synchronization

/// Caches the scans of MPEG files, because a scan reads the whole file, and a session opens the same files repeatedly.
///
/// Any thread may call it.
final class ScanCache: Sendable {
  /// The maximum number of scans. When it is reached, all are removed.
  private static let capacity = 256
  private let scans = Mutex<[RegularFile.Identity: MPEGScan]>([:])

  /// The scan of a file; nil if the file has no MPEG sound. It is taken from the cache if the file has not changed.
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
