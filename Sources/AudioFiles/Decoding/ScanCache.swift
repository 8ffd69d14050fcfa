import Synchronization

/// Caches the scans of MPEG files, because a scan reads the whole file, and a session opens the same files repeatedly.
///
/// Any thread may call it.
final class ScanCache: Sendable {
  /// The maximum number of scans. When it is reached, all are removed.
  private static let capacity = 256
  private let scans = Mutex<[RegularFile.Identity: MPEGScan]>([:])

  /// The scan of a file; nil if the file has no MPEG sound. It is taken from the cache if the file has not changed.
  ///
  /// - Parameter container: nil if the file consists of MPEG frames and tags.
  func scan(_ file: RegularFile, in container: SoundContainer? = nil) -> MPEGScan? {
    if let known = scans.withLock({ $0[file.identity] }) { return known }
    var scanner = MPEGScanner(file, to: container?.sound.end)
    guard var scan = scanner.scan(from: container?.sound.offset ?? 0) else { return nil }
    scan.stated = container?.frames
    if container?.size.isTruncated == true { scan.isTruncated = true }
    scans.withLock { scans in
      if scans.count >= Self.capacity { scans.removeAll() }
      scans[file.identity] = scan
    }
    return scan
  }
}
