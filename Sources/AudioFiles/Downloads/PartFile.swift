import Engine
import Files
import Foundation
import Glibc
import Sounds

/// The file to which a sound is downloaded. If the download fails, the file is kept, and the next download continues
/// it.
///
/// Only one process at a time may use the file that is kept. Another process that downloads the same sound uses a file
/// of its own, which it removes afterwards. Used by the downloading thread alone.
final class PartFile: BodyReceiver {
  /// What is stored next to the file as JSON: without it, a later download can't know what the bytes belong to.
  private struct Metadata: Codable {
    var address: String
    var validators: Validators
  }

  let path: String
  /// How many bytes of the current content are stored.
  private(set) var count: Int64 = 0
  /// The largest `count` so far, and when it was reached, in nanoseconds of the monotonic clock. Bytes that the server
  /// sends again don't change it.
  private(set) var (peak, peakTime): (Int64, Int64) = (0, monotonicNanoseconds())
  /// What identifies the current content.
  private(set) var validators = Validators()
  /// The length of the complete content in bytes; nil if the server doesn't state it.
  private(set) var expectedLength: Int64?
  /// Whether the stored bytes are the decoded ones of a compressed response, which can't be continued.
  private var isEncoded = false
  /// Is notified of all changes; nil if the content may not be read before it is complete.
  var download: Download?

  private let address: String
  private let limit: Int64
  private let descriptor: Int32
  /// Whether the file may be kept for the next download.
  private let isShared: Bool
  /// Whether the file is kept when this object is released.
  private var isKept = false

  /// Opens the file for a download, and prepares to continue an earlier one.
  ///
  /// - Parameters:
  ///   - stem: the path without its ending.
  ///   - limit: the maximum number of bytes.
  init(_ stem: String, of address: String, limit: Int64) throws(FetchFailure) {
    (self.address, self.limit) = (address, limit)
    if let descriptor = claim(stem + ".part") {
      (path, self.descriptor, isShared) = (stem + ".part", descriptor, true)
      resume()
      return
    }
    path = "\(stem)-\(getpid())-\(UInt64.random(in: 0 ... .max)).part"
    descriptor = open(path.forSystem, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    isShared = false
    // The lock keeps other processes from removing it to make room.
    flock(descriptor, LOCK_EX | LOCK_NB)
    if descriptor < 0 { throw .notStored(cause: "\(stem): \(systemMessage(errno))") }
  }

  deinit {
    if !isKept { discard() }
    close(descriptor)
  }

  /// The header lines that request only the missing bytes; none if there is nothing to continue.
  var resumeFields: [String] {
    guard 0 < count, !isEncoded, let same = validators.ifSame else { return [] }
    return ["Range: bytes=\(count)-", same]
  }

  /// Prepares for the body of a response: the missing bytes, or the whole content.
  func begin(_ head: ResponseHead) throws(FetchFailure) {
    if head.status == 206 {
      guard let part = head.part, part.start == count, 0 < count else {
        throw .other(cause: "the server sends a different part than requested")
      }
      expectedLength = part.whole ?? expectedLength
    } else if isSame(head) {
      // The bytes are overwritten with equal ones, not removed, because another thread may be reading them.
      count = 0
    } else {
      try restart()
      validators = head.validators
      (expectedLength, isEncoded) = (head.bodyLength, head.isEncoded)
      if isShared, !isEncoded { store(Metadata(address: address, validators: validators)) }
    }
    if let expectedLength, limit < expectedLength { throw .tooLarge(limit: limit) }
    download?.begin(content, at: count, of: expectedLength)
  }

  /// The content that may be read before it is complete; nil if the download could not be continued after a failure.
  private var content: Download.Content? {
    guard let expectedLength, validators.ifSame != nil else { return nil }
    return Download.Content(path: path, length: expectedLength, validators: validators)
  }

  /// Whether the body of a response is the content whose download has begun, sent again from its beginning.
  private func isSame(_ head: ResponseHead) -> Bool {
    expectedLength != nil && head.bodyLength == expectedLength && validators.ifSame != nil
      && head.validators == validators
  }

  /// Writes the next bytes of a body.
  func receive(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
    guard count + Int64(bytes.count) <= limit else { throw .tooLarge(limit: limit) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, Int(count))
      if written < 0, errno == EINTR { continue }
      if written <= 0 { throw .notStored(cause: systemMessage(errno)) }
      rest = rest.dropFirst(written)
      count += Int64(written)
    }
    if peak < count { (peak, peakTime) = (count, monotonicNanoseconds()) }
    download?.received(upTo: count)
  }

  /// Removes all bytes.
  func restart() throws(FetchFailure) {
    download?.invalidate()
    guard ftruncate(descriptor, 0) == 0 else { throw .notStored(cause: systemMessage(errno)) }
    (count, peak, expectedLength, validators, isEncoded) = (0, 0, nil, Validators(), false)
  }

  /// Keeps the file for the next download, if that could continue it.
  func keepForLater() { isKept = isShared && !resumeFields.isEmpty }

  /// Gives the complete file its final name.
  func publish(as name: String) throws(FetchFailure) {
    guard rename(path.forSystem, name.forSystem) == 0 else { throw .notStored(cause: systemMessage(errno)) }
    isKept = true
    if isShared { unlink((path + ".json").forSystem) }
  }

  private func discard() {
    unlink(path.forSystem)
    if isShared { unlink((path + ".json").forSystem) }
  }

  /// Prepares to continue an earlier download. Without metadata, its bytes are not used.
  private func resume() {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, let data = FilePath.contents(of: path + ".json"),
      let metadata = try? JSONDecoder().decode(Metadata.self, from: Data(data)), metadata.address == address
    else { return }
    (count, validators) = (Int64(facts.st_size), metadata.validators)
    peak = count
  }

  /// Stores the metadata.
  private func store(_ metadata: Metadata) {
    try? UnfinishedFile.write(try JSONEncoder().encode(metadata), to: path + ".json", isPrivate: true)
  }
}

/// Opens and locks a file. Returns nil if another process has locked it, or if it can't be created.
private func claim(_ path: String) -> Int32? {
  // The process that had locked the file may have renamed it in the meantime. Then the next attempt creates a new file.
  for _ in 0..<3 {
    let descriptor = open(path.forSystem, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard 0 <= descriptor else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isStillAt(path, descriptor) { return descriptor }
    close(descriptor)
  }
  return nil
}

/// Whether a path still leads to the open file.
private func isStillAt(_ path: String, _ descriptor: Int32) -> Bool {
  var (open, named) = (stat(), stat())
  return fstat(descriptor, &open) == 0 && stat(path.forSystem, &named) == 0 && open.st_ino == named.st_ino
    && open.st_dev == named.st_dev
}
