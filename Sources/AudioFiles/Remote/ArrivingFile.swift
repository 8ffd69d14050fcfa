import Engine
import Signal
import Synchronization

/// What an open file needs to know of the sound in it that is still coming.
final class ArrivingFile: Sendable {
  /// Of the whole, in bytes.
  let length: Int64
  private let arrival: Arrival
  private let edition: Int
  private let shortage = Mutex<FetchFailure?>(nil)

  init(_ arrival: Arrival, _ edition: Int, length: Int64) {
    (self.arrival, self.edition, self.length) = (arrival, edition, length)
  }

  /// How many bytes are here.
  var present: Int64 { arrival.present(of: edition) }

  /// Waits until there is something at `offset`.
  ///
  /// - Returns: how many bytes are here from there on; 0 where nothing comes any more.
  func count(at offset: Int64) -> Int64 {
    guard offset < length else { return 0 }
    switch arrival.count(beyond: offset, of: edition) {
    case .success(let count): return max(0, count - offset)
    case .failure(let failure):
      shortage.withLock { $0 = failure }
      return 0
    }
  }

  /// Whether what was read just now is of the content that this file was opened for.
  var isUnchanged: Bool {
    let isUnchanged = arrival.isCurrent(edition)
    if !isUnchanged { shortage.withLock { $0 = .changed } }
    return isUnchanged
  }

  /// Says why a reading has failed, if it is because the rest didn't come.
  func explained(_ error: SourceError) -> SourceError {
    guard let failure = shortage.withLock({ $0 }) else { return error }
    let cause = failure.cause
    switch error {
    // Its sentence has a mend of its own.
    case .damaged(let path, let second, _):
      return .damaged(path: path, atSecond: second, cause: "its rest did not come: \(cause.prefix { $0 != ";" })")
    case .unknownFormat(let path), .empty(let path), .unsupported(let path, _):
      return .remote(address: path, cause: cause)
    default: return error
    }
  }
}

/// Names what a sound has been cut short by that didn't come to its end.
final class ArrivingDecoder: Decoder {
  private let decoder: any Decoder
  private let file: ArrivingFile
  private let told = Mutex<SoundDamage?>(nil)

  init(_ decoder: any Decoder, _ file: ArrivingFile) { (self.decoder, self.file) = (decoder, file) }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    let count = decoder.read(into: frames)
    // Damage that was found while all was still well has a cause of its own.
    if let damage = decoder.damage {
      told.withLock { $0 = $0 ?? SoundDamage(file.explained(damage.error), atFrame: damage.frame) }
    }
    return count
  }

  var damage: SoundDamage? { told.withLock { $0 } }
}
