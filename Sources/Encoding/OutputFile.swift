import Engine
import Files
import Glibc

/// A file that has a temporary name, in the folder of the final one, until it is complete.
///
/// Writes are buffered.
final class OutputFile: ByteSink {
  let canReplace = true
  /// As the user gave it.
  let path: String
  private let file: UnfinishedFile
  private var descriptor: Int32 { file.descriptor }
  private(set) var failure: Int32?
  private(set) var position: Int64 = 0
  /// Includes buffered bytes.
  private(set) var length: Int64 = 0
  /// Buffered bytes, which are to be written at `pendingStart`.
  private var pending: [UInt8] = []
  private var pendingStart: Int64 = 0

  private static let bufferSize = 524_288

  /// Creates the temporary file.
  ///
  /// - Throws: `cannotCreate` if the folder is missing or read-only, or if the path names something that is not a file.
  init(path: String) throws(SinkError) {
    self.path = path
    try checkName(path)
    do throws(ErrorNumber) { file = try UnfinishedFile(for: path) } catch {
      throw .cannotCreate(path: path, cause: error.message)
    }
    pending.reserveCapacity(Self.bufferSize)
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    if pendingStart + Int64(pending.count) != position || bytes.count >= Self.bufferSize { flush() }
    if pending.isEmpty { pendingStart = position }
    if bytes.count >= Self.bufferSize { writeOut(bytes) } else { pending.append(contentsOf: bytes) }
    position += Int64(bytes.count)
    length = max(length, position)
    if pending.count >= Self.bufferSize { flush() }
  }

  func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : length
    guard base + offset >= 0 else { return -1 }
    position = base + offset
    return position
  }

  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    flush()
    let count = max(0, pread(descriptor, bytes.baseAddress, bytes.count, Int(position)))
    position += Int64(count)
    return count
  }

  /// Writes the file to the disk and renames it to its final name.
  func publish() throws(SinkError) {
    flush()
    if failure == nil {
      do throws(ErrorNumber) { return try file.publish() } catch { failure = error.code }
    }
    discard()
    throw .cannotWrite(path: path, cause: ErrorNumber(code: failure ?? EIO).message)
  }

  /// Removes the temporary file; does nothing after `publish`.
  func discard() { file.discard() }

  var unfinishedPath: String { file.temporary }

  /// Writes the buffered bytes to the file.
  func flush() {
    if pending.isEmpty { return }
    pending.withUnsafeBytes { writeOut($0) }
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes bytes to the file, at the offset `pendingStart`. Keeps the first error in `failure`.
  private func writeOut(_ bytes: UnsafeRawBufferPointer) {
    var done = 0
    while failure == nil, done < bytes.count, let base = bytes.baseAddress {
      let count = pwrite(descriptor, base + done, bytes.count - done, Int(pendingStart) + done)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { failure = count < 0 ? errno : ENOSPC } else { done += count }
    }
    // Linux starts to write these bytes to the disk now. Otherwise it would begin in `publish`, which waits for it.
    posix_fadvise(descriptor, Int(pendingStart), done, POSIX_FADV_DONTNEED)
  }
}

/// Refuses folders and devices, and names that can't be used, before anything is rendered.
private func checkName(_ path: String) throws(SinkError) {
  var facts = stat()
  guard stat(path.forSystem, &facts) == 0 else {
    if errno == ENOENT { return }
    throw .cannotCreate(path: path, cause: ErrorNumber(code: errno).message)
  }
  if facts.st_mode & S_IFMT == S_IFREG { return }
  let kind = facts.st_mode & S_IFMT == S_IFDIR ? "folder" : "device or pipe"
  throw .cannotCreate(path: path, cause: "it is a \(kind)")
}
