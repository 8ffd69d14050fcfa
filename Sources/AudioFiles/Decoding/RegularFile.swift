import Engine
import Glibc

/// An open file that is known to be a regular one: nothing that is read from it can wait for a writer.
final class RegularFile {
  /// What a listener knows it by.
  let path: String
  let size: Int64
  /// The place of its bytes and the time of their last change: equal only while the content is the same.
  let identity: Identity
  private let descriptor: Int32
  /// Of a file that is still coming: its size is the promised one, and whoever reads waits.
  let arriving: ArrivingFile?

  struct Identity: Hashable {
    var device: UInt
    var node: UInt
    var size: Int
    var seconds: Int
    var nanoseconds: Int

    fileprivate init(_ facts: stat) {
      (device, node, size) = (UInt(facts.st_dev), UInt(facts.st_ino), Int(facts.st_size))
      (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
  }

  /// Looks before it opens, for opening a FIFO or a device can wait for ever or have effects.
  ///
  /// - Parameter name: what a listener knows it by, where that is not the path.
  init(path: String, knownAs name: String? = nil, arriving: ArrivingFile? = nil) throws(SourceError) {
    self.arriving = arriving
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw failure(path, errno) }
    try requireRegular(path, facts.st_mode)
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(path, errno) }
    self.descriptor = descriptor
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unreadable(path: path, cause: "it was replaced while it was opened")
    }
    self.path = name ?? path
    size = arriving?.length ?? Int64(facts.st_size)
    identity = Identity(facts)
  }

  deinit { close(descriptor) }

  /// What its identity would be if it were opened now.
  var identityNow: Identity {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? Identity(facts) : identity
  }

  /// How many bytes from its beginning on can be read without waiting.
  var present: Int64 { arriving?.present ?? size }

  /// Bytes read at `offset`: fewer than asked only at the end of the file or after an error, which is read as its end.
  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard arriving != nil else { return readHere(at: offset, into: bytes) }
    var done = 0
    while done < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      let count = readSome(at: offset + Int64(done), into: rest)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// The same, but of a file that is still coming as many as are here, at least one.
  func readSome(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard let arriving else { return readHere(at: offset, into: bytes) }
    let count = Int(min(arriving.count(at: offset), Int64(bytes.count)))
    let done = readHere(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
    return arriving.isUnchanged ? done : 0
  }

  private func readHere(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var done = 0
    while done < bytes.count {
      let count = pread(descriptor, base + done, bytes.count - done, Int(offset) + done)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      done += count
    }
    return done
  }

  /// Up to `count` bytes at `offset`.
  func bytes(at offset: Int64, count: Int) -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}

private func failure(_ path: String, _ code: Int32) -> SourceError {
  if code == ENOENT || code == ENOTDIR { return .missing(path: path) }
  return .unreadable(path: path, cause: systemMessage(code))
}

private func requireRegular(_ path: String, _ mode: mode_t) throws(SourceError) {
  switch mode & S_IFMT {
  case S_IFREG: return
  case S_IFDIR: throw .notARegularFile(path: path, kind: "folder")
  case S_IFIFO: throw .notARegularFile(path: path, kind: "FIFO")
  case S_IFSOCK: throw .notARegularFile(path: path, kind: "socket")
  default: throw .notARegularFile(path: path, kind: "device")
  }
}

/// What the system calls an error number, for a sentence.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
