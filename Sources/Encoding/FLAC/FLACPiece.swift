import Dispatch
import Engine
import Signal
import Synchronization

/// The memory in which pieces of a FLAC stream are encoded, one after the other.
///
/// `fill`, `start` and `collect` are called by one thread, and for each piece in this order. Between `start` and
/// `collect`, the piece is encoded by another thread.
final class FLACPiece: Sendable {
  /// The maximum number of frames of sound in a piece, whole FLAC frames. Larger pieces would not need less work.
  static let capacity = 32 * FLACSettings.blockFrames

  private let settings: FLACSettings
  /// Never contended: the semaphore separates the threads.
  private let content = Mutex(Content())
  private let isEncoded = DispatchSemaphore(value: 0)

  private struct Content: Sendable {
    /// Interleaved samples in the encoding of the file.
    var bytes: [UInt8] = []
    var frames = FLACFrames()
    var failure: String?
  }

  init(_ settings: FLACSettings) { self.settings = settings }

  /// Adds samples that are encoded as bytes, as far as there is room.
  ///
  /// - Returns: the number of bytes taken, and whether the piece is full.
  func fill(_ bytes: UnsafeRawBufferPointer) -> (taken: Int, isFull: Bool) {
    let size = Self.capacity * settings.encoding.bytesPerFrame
    return content.withLock { content in
      if content.bytes.isEmpty { content.bytes.reserveCapacity(size) }
      let count = min(size - content.bytes.count, bytes.count)
      content.bytes.append(contentsOf: bytes[..<count])
      return (count, content.bytes.count == size)
    }
  }

  /// Encodes the piece, on one of the threads or, without them, at once.
  ///
  /// - Parameter number: the number of the piece's first FLAC frame in the stream.
  func start(number: Int64, on threads: WorkThreads?) {
    guard let threads else { return encode(number: number) }
    threads.async { [self] in encode(number: number) }
  }

  private func encode(number: Int64) {
    content.withLock { content in
      let bytes = content.bytes
      content.failure = bytes.withUnsafeBytes { settings.encode($0, into: &content.frames, first: number) }
    }
    isEncoded.signal()
  }

  /// Waits until the piece is encoded, passes its FLAC frames to `body`, and empties it.
  ///
  /// - Returns: what failed, in libFLAC's words; nil on success.
  func collect(_ body: (FLACFrames) -> Void) -> String? {
    isEncoded.wait()
    return content.withLock { content in
      body(content.frames)
      content.frames.removeAll()
      content.bytes.removeAll(keepingCapacity: true)
      return content.failure
    }
  }
}
