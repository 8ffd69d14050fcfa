import Synchronization

/// Remembers where the frames of MPEG files lie, for a session opens the same files again and again.
final class ScanCache: Sendable {
  private static let capacity = 256
  private let scans = Mutex<[RegularFile.Identity: MPEGScan]>([:])

  /// Nil when the file holds no MPEG sound.
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
