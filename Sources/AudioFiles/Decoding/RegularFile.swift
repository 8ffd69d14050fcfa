import Files
import Glibc
import Sounds
import Synchronization

/// An open regular file. Unlike those of a FIFO or a device, reads don't wait for another process. Only reads of a file
/// that is being downloaded wait, for the bytes that have not arrived.
///
/// There is no read position: every read states its offset, so any thread may read.
final class RegularFile: Sendable {
  /// The path for messages; for a remote sound, its address without credentials.
  let path: String
  /// The size in bytes; for a file that is being downloaded, the size of the complete file.
  let size: Int64
  /// The size without a long hole at the end, which `truncate` and broken copies leave. A hole reads as zeros, and would
  /// be read for hours.
  let contentEnd: Int64
  /// Identifies the file and its last change. While it stays the same, the content does, too.
  let identity: Identity
  private let descriptor: Int32
  /// The file of which this one is a part; nil for a whole file.
  private let whole: RegularFile?
  /// The bytes of the whole file before this part.
  let start: Int64
  /// The `errno` of the first read that has failed; 0 if none has.
  private let readFailure = Atomic<Int32>(0)
  /// The maximum number of bytes that a decoder reads at a time.
  let longestRead: Int
  /// The first bytes of a complete file. Parsers of headers read a few bytes at a time.
  private let head: [UInt8]
  private static let headSize = 4_096
  /// The state of the download; nil for a complete file.
  let download: DownloadingFile?

  /// Device, inode, size and time of the last change.
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

  /// Opens a file. Its kind is checked before, because opening a FIFO or a device may wait or have side effects.
  ///
  /// - Parameters:
  ///   - name: used in messages instead of the path.
  ///   - longestRead: the maximum number of bytes that a decoder reads at a time, at least 64 KiB.
  init(
    path: String, knownAs name: String? = nil, download: DownloadingFile? = nil, longestRead: Int = 65_536
  ) throws(SourceError) {
    self.download = download
    self.longestRead = longestRead
    var facts = stat()
    guard uninterrupted({ stat(path.forSystem, &facts) }) == 0 else { throw failure(path, errno) }
    try requireRegular(path, facts.st_mode)
    let descriptor = uninterrupted { open(path.forSystem, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) }
    guard descriptor >= 0 else { throw failure(path, errno) }
    self.descriptor = descriptor
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unreadable(path: path, cause: "it was replaced while it was opened")
    }
    self.path = name ?? path
    (whole, start) = (nil, 0)
    size = download?.length ?? Int64(facts.st_size)
    contentEnd = download == nil ? Self.contentEnd(of: descriptor, size) : size
    identity = Identity(facts)
    head = download == nil ? Self.bytes(of: descriptor, at: 0, count: Self.headSize) : []
  }

  /// A part of an open file, with offsets of its own.
  private init(_ range: Range<Int64>, of whole: RegularFile) {
    (self.whole, start, size) = (whole, range.lowerBound, range.upperBound - range.lowerBound)
    (path, identity, descriptor) = (whole.path, whole.identity, whole.descriptor)
    contentEnd = min(whole.contentEnd, range.upperBound) - range.lowerBound
    (longestRead, download) = (whole.longestRead, whole.download)
    head = whole.bytes(at: start, count: download == nil ? Int(min(Int64(Self.headSize), size)) : 0)
  }

  deinit { if whole == nil { close(descriptor) } }

  /// The file without the tags at its beginning and its end, which are no part of any format of sound: a reader would
  /// take them for damage, or for sound.
  var withoutTags: RegularFile {
    let sound = ID3Tag.sound(of: self)
    return sound == 0..<size ? self : RegularFile(sound, of: self)
  }

  /// Title and artist from the tags at the beginning and at the end.
  var tags: SoundTags { whole?.tags ?? ID3Tag(self).tags }

  /// Constants of `lseek` that Glibc does not import: the next byte that was written, and the next hole.
  private static let (data, hole): (Int32, Int32) = (3, 4)
  /// The bytes of the longest hole that may be silence.
  private static let longestHole: Int64 = 256 << 20

  private static func contentEnd(of descriptor: Int32, _ size: Int64) -> Int64 {
    guard longestHole < size else { return size }
    var offset = 0
    // The number of holes is limited, because a sparse file can have very many.
    for _ in 0..<10_000 {
      let hole = lseek(descriptor, offset, Self.hole)
      guard 0 <= hole, hole < size else { return size }
      offset = lseek(descriptor, hole, Self.data)
      if offset < 0 { return longestHole < size - Int64(hole) ? Int64(hole) : size }
    }
    return size
  }

  /// The identity of the open file now, after possible changes.
  var identityNow: Identity {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? Identity(facts) : identity
  }

  /// Whether the file is complete, and has not changed since it was opened.
  var isUnchanged: Bool { download == nil && identityNow == identity }

  /// How many bytes, from the beginning, can be read without waiting for a download.
  var present: Int64 { download.map { min(size, max(0, $0.present - start)) } ?? size }

  /// Reads bytes at `offset`; waits for bytes that are not downloaded yet. Returns the number of bytes, which is less
  /// than requested only at the end of the file or after an error.
  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard download != nil else { return readHere(at: offset, into: bytes) }
    var done = 0
    while done < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      let count = readSome(at: offset + Int64(done), into: rest)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Like `read`, but returns as soon as at least one byte has been downloaded.
  func readSome(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard let download else { return readHere(at: offset, into: bytes) }
    let count = Int(min(download.count(at: start + offset), Int64(bytes.count)))
    let done = readHere(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
    return download.isUnchanged ? done : 0
  }

  /// Reads bytes without waiting for a download.
  private func readHere(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard whole != nil else { return Self.read(descriptor, at: offset, into: bytes, fails: note) }
    let count = Int(max(0, min(size - offset, Int64(bytes.count))))
    return Self.read(
      descriptor, at: start + offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), fails: note)
  }

  /// Remembers the `errno` of a read that has failed.
  private func note(_ code: Int32) {
    _ = readFailure.compareExchange(expected: 0, desired: code, ordering: .relaxed)
    whole?.note(code)
  }

  /// Throws if a read has failed, because what was read of the file is then not all of it.
  func requireIntactReads() throws(SourceError) {
    let code = readFailure.load(ordering: .relaxed)
    if code != 0 { throw failure(path, code) }
  }

  /// The error to report instead of `error`, if bytes are missing only because a read has failed.
  func explained(_ error: SourceError) -> SourceError {
    let code = readFailure.load(ordering: .relaxed)
    return code == 0 ? download?.explained(error) ?? error : failure(path, code)
  }

  /// - Parameter fails: receives the `errno` of a read that has failed twice. A disk that wakes up, or a network that
  ///   comes back, may fail once.
  private static func read(
    _ descriptor: Int32, at offset: Int64, into bytes: UnsafeMutableRawBufferPointer, fails: (Int32) -> Void = { _ in }
  ) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var (done, failures) = (0, 0)
    while done < bytes.count {
      let count = pread(descriptor, base + done, bytes.count - done, Int(offset) + done)
      if count < 0, errno == EINTR { continue }
      if count < 0, failures == 0 {
        failures += 1
        continue
      }
      if count < 0 { fails(errno) }
      if count <= 0 { break }
      done += count
      failures = 0
    }
    return done
  }

  /// Up to `count` bytes at `offset`; fewer only at the end of the file or after an error. The first bytes of the file
  /// are those that it had when it was opened.
  func bytes(at offset: Int64, count: Int) -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    if offset + Int64(count) <= Int64(head.count) { return Array(head[Int(offset)..<Int(offset) + count]) }
    return currentBytes(at: offset, count: count)
  }

  /// Like `bytes`, but always reads the file.
  func currentBytes(at offset: Int64, count: Int) -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  private static func bytes(of descriptor: Int32, at offset: Int64, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(descriptor, at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}

private func failure(_ path: String, _ code: Int32) -> SourceError {
  switch code {
  case ENOENT, ENOTDIR: .missing(path: path)
  case EMFILE, ENFILE, ENOMEM: .shortage(path: path, cause: systemMessage(code))
  // A disk or network that does not answer.
  case EAGAIN, EBUSY, EHOSTDOWN, EHOSTUNREACH, EIO, ENETDOWN, ENETUNREACH, ESTALE, ETIMEDOUT:
    .unavailable(path: path, cause: systemMessage(code))
  default: .unreadable(path: path, cause: systemMessage(code))
  }
}

/// Calls a function of the system again as long as a signal interrupts it.
private func uninterrupted(_ call: () -> Int32) -> Int32 {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
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

/// The system's message for an `errno`, in lower case, for the middle of a sentence.
func systemMessage(_ code: Int32) -> String { ErrorNumber(code: code).message }
