import Engine
import Files
import Glibc

/// Where an encoder writes its bytes: a file, or a stream that only grows.
///
/// A write error is stored in `failure`, because libsndfile's callbacks can't throw errors. Used by one thread at a
/// time.
protocol ByteSink: AnyObject {
  /// Its name, for messages.
  var path: String { get }
  /// Whether bytes that were written before can be read and replaced. A stream can't: it drops what is written before
  /// `length`, and formats whose header needs the length of the sound are refused or state that it is unknown.
  var canReplace: Bool { get }
  /// The `errno` of the first write that failed; nothing is written after it.
  var failure: Int32? { get }
  /// The offset of the next read or write, in bytes.
  var position: Int64 { get }
  /// The number of bytes so far.
  var length: Int64 { get }

  /// Writes at `position` and advances it.
  func write(_ bytes: UnsafeRawBufferPointer)

  /// Moves `position` as `lseek` does, and returns it; −1, without any change, for an offset before the first byte.
  func seek(_ offset: Int64, _ whence: Int32) -> Int64

  /// Reads at `position` and advances it. Encoders read a header that they have written, to complete it.
  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int

  /// Writes buffered bytes.
  func flush()

  /// The path at which the bytes can be read before `publish`.
  var unfinishedPath: String { get }

  /// Called after the last byte: a file gets its final name.
  func publish() throws(SinkError)

  /// Drops the output if it is not complete: the file is removed.
  func discard()
}

extension ByteSink {
  func flush() {}
  var unfinishedPath: String { path }

  func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

  /// Replaces the first bytes, if that is possible.
  func replaceBeginning(by bytes: [UInt8]) {
    guard canReplace else { return }
    _ = seek(0, SEEK_SET)
    write(bytes)
  }

  /// Replaces the first `count` bytes by others, if that is possible. If these are more, all others move.
  ///
  /// - Parameter change: what is written for the bytes that move. It may keep bytes until more follow; all of them are
  ///   then written.
  func replaceBeginning(
    _ count: Int, by bytes: [UInt8], moving change: (UnsafeRawBufferPointer) -> [UInt8] = { Array($0) }
  ) throws(SinkError) {
    if bytes.count == count || !canReplace { return replaceBeginning(by: bytes) }
    let (end, chunk) = (length, max(1 << 20, bytes.count - count))
    var (pending, next, done) = (bytes, Int64(count), 0 as Int64)
    var buffer = [UInt8](repeating: 0, count: chunk)
    while done < next || !pending.isEmpty {
      if next < end {
        _ = seek(next, SEEK_SET)
        let read = buffer.withUnsafeMutableBytes { self.read(into: $0) }
        let taken = min(Int64(read), end - next)
        if taken <= 0 { throw .cannotWrite(path: path, cause: "what was written can't be read again") }
        pending += buffer.withUnsafeBytes { change(UnsafeRawBufferPointer(rebasing: $0[..<Int(taken)])) }
        next += taken
      }
      // What has not been read yet must not be overwritten.
      let room = next < end ? min(pending.count, Int(next - done)) : pending.count
      _ = seek(done, SEEK_SET)
      write(Array(pending[..<room]))
      pending.removeFirst(room)
      done += Int64(room)
      try check()
      if next == end, pending.isEmpty { return }
    }
  }

  /// Throws the error of the first write that failed.
  func check() throws(SinkError) {
    if let failure { throw .cannotWrite(path: path, cause: ErrorNumber(code: failure).message) }
  }
}

/// Writes files whose samples `EncoderBatch` has already encoded.
protocol ByteWriter: AnyObject {
  /// Writes whole frames in the sample encoding of the file.
  func write(_ bytes: ArraySlice<UInt8>) throws(SinkError)

  /// Completes the file; nothing is written after it.
  ///
  /// - Parameter chapters: those of the whole file.
  func close(_ chapters: [Chapter]) throws(SinkError)
}
