import Engine
import Glibc

/// A file in the making: written under a name of its own beside the final one, which it takes when it is complete.
final class OutputFile {
  let path: String
  private let target: String
  private let temporary: String
  private var descriptor: Int32
  /// The error number of the first write that failed.
  private(set) var failure: Int32?

  private(set) var position: Int64 = 0
  private(set) var length: Int64 = 0
  private var pending: [UInt8] = []
  private var pendingStart: Int64 = 0

  private static let bufferSize = 262_144

  /// - Throws: `cannotCreate` where the folder is missing or read-only, or the name is taken by something that is no file.
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

  func write(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    if pendingStart + Int64(pending.count) != position { flush() }
    if pending.isEmpty { pendingStart = position }
    pending.append(contentsOf: bytes)
    position += Int64(bytes.count)
    length = max(length, position)
    if pending.count >= Self.bufferSize { flush() }
  }

  /// As `lseek`: the new position, or −1 and no move where there is none.
  func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : length
    guard base + offset >= 0 else { return -1 }
    position = base + offset
    return position
  }

  /// Encoders read back what they have written where they complete a header.
  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    flush()
    let count = max(0, pread(descriptor, bytes.baseAddress, bytes.count, Int(position)))
    position += Int64(count)
    return count
  }

  /// Gives the file its final name once all of it is on the disk.
  func publish() throws(SinkError) {
    flush()
    if failure == nil, fsync(descriptor) != 0 { failure = errno }
    // The lock goes with the last descriptor: until it has its name nobody may take the file for a leftover.
    let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    defer { if 0 <= lock { close(lock) } }
    if close(descriptor) != 0, failure == nil { failure = errno }
    descriptor = -1
    if failure == nil, rename(temporary, target) != 0 { failure = errno }
    guard let failure else { return syncFolder(of: target) }
    unlink(temporary)
    throw .cannotWrite(path: path, cause: systemMessage(failure))
  }

  /// Removes the unfinished file; nothing to do once it has been published.
  func discard() {
    guard descriptor >= 0 else { return }
    unlink(temporary)
    close(descriptor)
    descriptor = -1
  }

  private func flush() {
    let failed = pending.withUnsafeBytes { bytes -> Int32? in
      var done = 0
      while done < bytes.count, let base = bytes.baseAddress {
        let count = pwrite(descriptor, base + done, bytes.count - done, Int(pendingStart) + done)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return count < 0 ? errno : ENOSPC }
        done += count
      }
      return nil
    }
    if failure == nil { failure = failed }
    pending.removeAll(keepingCapacity: true)
  }
}

/// The name that the file gets: a link is followed, so that what it points to is replaced, and never a device or a folder.
private func finalPath(_ path: String) throws(SinkError) -> String {
  var facts = stat()
  guard stat(path, &facts) == 0 else { return path }
  guard facts.st_mode & S_IFMT == S_IFREG else {
    let kind = facts.st_mode & S_IFMT == S_IFDIR ? "folder" : "device or pipe"
    throw .cannotCreate(path: path, cause: "there is a \(kind) of that name")
  }
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}

private func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// So that the new name survives a power cut; a file system that can't do it has done its best.
private func syncFolder(of path: String) {
  let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  fsync(descriptor)
  close(descriptor)
}
