import Engine
import Glibc

/// A file that has a temporary name, in the folder of the final one, until it is complete.
///
/// Writes are buffered. A write error is stored in `failure`, because libsndfile's callbacks can't throw errors.
final class OutputFile {
  /// The path as the user gave it, for messages.
  let path: String
  /// The final path, with symbolic links resolved.
  private let target: String
  private let temporary: String
  private var descriptor: Int32
  /// The `errno` of the first write that failed; nothing is written after it.
  private(set) var failure: Int32?

  /// The offset of the next read or write, in bytes.
  private(set) var position: Int64 = 0
  /// Bytes of the file so far, including buffered ones.
  private(set) var length: Int64 = 0
  /// Buffered bytes, which are to be written at `pendingStart`.
  private var pending: [UInt8] = []
  private var pendingStart: Int64 = 0

  private static let bufferSize = 524_288

  /// Creates the temporary file, and removes temporary files that killed renders have left in the folder.
  ///
  /// - Throws: `cannotCreate` if the folder is missing or read-only, or if the path names something that is not a file.
  init(path: String) throws(SinkError) {
    self.path = path
    target = try finalPath(path)
    UnfinishedFile.removeLeftovers(in: folder(of: target))
    do throws(ErrorNumber) {
      (temporary, descriptor) = try UnfinishedFile.create(in: folder(of: target))
    } catch {
      throw .cannotCreate(path: path, cause: systemMessage(error.code))
    }
    pending.reserveCapacity(Self.bufferSize)
  }

  deinit { discard() }

  /// Writes at `position` and advances it.
  func write(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    if pendingStart + Int64(pending.count) != position || bytes.count >= Self.bufferSize { flush() }
    if pending.isEmpty { pendingStart = position }
    if bytes.count >= Self.bufferSize { writeOut(bytes) } else { pending.append(contentsOf: bytes) }
    position += Int64(bytes.count)
    length = max(length, position)
    if pending.count >= Self.bufferSize { flush() }
  }

  /// Moves `position` as `lseek` does, and returns it; −1, without any change, for an offset before the file.
  func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : length
    guard base + offset >= 0 else { return -1 }
    position = base + offset
    return position
  }

  /// Reads at `position` and advances it. Encoders read a header that they have written, to complete it.
  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    flush()
    let count = max(0, pread(descriptor, bytes.baseAddress, bytes.count, Int(position)))
    position += Int64(count)
    return count
  }

  /// Writes the file to the disk and renames it to its final name.
  func publish() throws(SinkError) {
    flush()
    if failure == nil, fsync(descriptor) != 0 { failure = errno }
    // A second descriptor keeps the lock until the file is renamed, so that no other render removes the file as a
    // leftover.
    let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    defer { if 0 <= lock { close(lock) } }
    if close(descriptor) != 0, failure == nil { failure = errno }
    descriptor = -1
    if failure == nil, rename(temporary, target) != 0 { failure = errno }
    guard let failure else { return syncFolder(of: target) }
    unlink(temporary)
    throw .cannotWrite(path: path, cause: systemMessage(failure))
  }

  /// Removes the temporary file; does nothing after `publish`.
  func discard() {
    guard descriptor >= 0 else { return }
    unlink(temporary)
    close(descriptor)
    descriptor = -1
  }

  /// Writes the buffered bytes to the file.
  private func flush() {
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

/// The final path. A symbolic link is resolved, so that its target is replaced. Folders and devices are refused, and so
/// are names that can't be used, before anything is rendered.
private func finalPath(_ path: String) throws(SinkError) -> String {
  var facts = stat()
  guard stat(path, &facts) == 0 else {
    if errno == ENOENT { return path }
    throw .cannotCreate(path: path, cause: systemMessage(errno))
  }
  guard facts.st_mode & S_IFMT == S_IFREG else {
    let kind = facts.st_mode & S_IFMT == S_IFDIR ? "folder" : "device or pipe"
    throw .cannotCreate(path: path, cause: "it is a \(kind)")
  }
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}

private func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Writes the rename to the disk, so that it is not lost in a power failure, on file systems that support this.
private func syncFolder(of path: String) {
  let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  fsync(descriptor)
  close(descriptor)
}
