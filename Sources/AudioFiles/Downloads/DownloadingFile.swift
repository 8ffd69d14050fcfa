import Signal
import Sounds
import Synchronization

/// A file's access to the download of its content. Any thread may call it.
final class DownloadingFile: Sendable {
  /// The length of the complete content in bytes.
  let length: Int64
  private let download: Download
  private let edition: Int
  /// Why bytes were missing; nil as long as none were.
  private let readFailure = Mutex<FetchFailure?>(nil)

  init(_ download: Download, _ edition: Int, length: Int64) {
    (self.download, self.edition, self.length) = (download, edition, length)
  }

  /// How many bytes have arrived so far.
  var present: Int64 { download.present(of: edition) }

  /// Waits until there are bytes at `offset`.
  ///
  /// - Returns: how many bytes have arrived from `offset` on; 0 if none will arrive there.
  func count(at offset: Int64) -> Int64 {
    guard offset < length else { return 0 }
    switch download.count(beyond: offset, of: edition) {
    case .success(let count): return max(0, count - offset)
    case .failure(let failure):
      readFailure.withLock { $0 = failure }
      return 0
    }
  }

  /// Whether bytes that have just been read belong to the content for which the file was opened.
  var isUnchanged: Bool {
    let isUnchanged = download.isCurrent(edition)
    if !isUnchanged { readFailure.withLock { $0 = .changed } }
    return isUnchanged
  }

  /// The error to report instead of `error`. If bytes were missing, it names the failed download as the cause.
  func explained(_ error: SourceError) -> SourceError {
    guard let failure = readFailure.withLock({ $0 }) else { return error }
    let cause = failure.cause
    switch error {
    // The description of `damaged` contains a remedy, so that of the failure is omitted.
    case .damaged(let path, let second, _):
      return .damaged(path: path, atSecond: second, cause: "the rest is missing: \(cause.prefix { $0 != ";" })")
    case .unknownFormat(let path), .empty(let path), .unsupported(let path, _):
      return failure.sourceError(of: path)
    default: return error
    }
  }
}

/// A decoder of a file that is being downloaded. Its damage names the failed download, if that is the cause.
final class DownloadingDecoder: Decoder {
  private let decoder: any Decoder
  private let file: DownloadingFile
  private let reported = Mutex<SoundDamage?>(nil)

  init(_ decoder: any Decoder, _ file: DownloadingFile) { (self.decoder, self.file) = (decoder, file) }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    let count = decoder.read(into: frames)
    // Damage is explained when it is found: if the download fails later, it is not the cause.
    if let damage = decoder.damage {
      reported.withLock { $0 = $0 ?? SoundDamage(file.explained(damage.error), atFrame: damage.frame) }
    }
    return count
  }

  var damage: SoundDamage? { reported.withLock { $0 } }
}
