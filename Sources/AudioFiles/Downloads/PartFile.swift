import Engine
import Foundation
import Glibc

/// The file of a download. If the download fails, the file stays, and the next one continues it.
///
/// One process at a time has the file that stays. Another process that downloads the same sound uses a file of its own,
/// which it removes afterwards. Used by the downloading thread alone.
final class PartFile: BodyReceiver {
  /// What is stored next to the file, as JSON.
  private struct Note: Codable {
    var address: String
    var validators: Validators
  }

  let path: String
  /// Bytes of the current content.
  private(set) var count: Int64 = 0
  /// The most bytes that there have been, and when the last new one arrived, in nanoseconds of the monotonic clock.
  /// Bytes that are sent again are not new.
  private(set) var (peak, peakTime): (Int64, Int64) = (0, monotonicNanoseconds())
  /// What identifies the current content.
  private(set) var validators = Validators()
  /// Bytes of the complete content; nil if the server doesn't state it.
  private(set) var promised: Int64?
  /// Informed about each change; nil if the content may not be read before it is complete.
  var arrival: Download?

  private let address: String
  private let limit: Int64
  private let descriptor: Int32
  /// Whether the file may stay for the next download.
  private let isShared: Bool
  private var isKept = false

  /// Opens the file for a download and continues an earlier one.
  ///
  /// - Parameters:
  ///   - stem: the path without its ending.
  ///   - limit: the most bytes.
  init(_ stem: String, of address: String, limit: Int64) throws(FetchFailure) {
    (self.address, self.limit) = (address, limit)
    if let descriptor = claim(stem + ".part") {
      (path, self.descriptor, isShared) = (stem + ".part", descriptor, true)
      resume()
      return
    }
    path = "\(stem)-\(getpid())-\(UInt64.random(in: 0 ... .max)).part"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    isShared = false
    // The lock keeps other processes from removing it to make room.
    flock(descriptor, LOCK_EX | LOCK_NB)
    if descriptor < 0 { throw .notKept(cause: "\(stem): \(systemMessage(errno))") }
  }

  deinit {
    if !isKept { discard() }
    close(descriptor)
  }

  /// The header lines that request the missing rest; none if there is nothing to continue.
  var wish: [String] {
    guard 0 < count, let same = validators.ifSame else { return [] }
    return ["Range: bytes=\(count)-", same]
  }

  /// Prepares for the body of a response: the rest, or the whole content.
  func begin(_ head: ResponseHead) throws(FetchFailure) {
    if let part = head.part {
      guard part.start == count, 0 < count else {
        throw .other(cause: "the server sends a different part than requested")
      }
      promised = part.whole ?? promised
    } else if isSame(head) {
      // Some thread may be reading the bytes, so they are overwritten with equal ones.
      count = 0
    } else {
      try restart()
      validators = head.validators
      promised = head.bodyLength
      if isShared { note(Note(address: address, validators: validators)) }
    }
    if let promised, limit < promised { throw .tooLarge(limit: limit) }
    arrival?.begin(content, at: count)
  }

  /// The content that may be read before it is complete: only one whose download could be continued after a failure.
  private var content: Download.Content? {
    guard let promised, validators.ifSame != nil else { return nil }
    return Download.Content(path: path, length: promised, validators: validators)
  }

  /// Whether a response sends again the content that this download has begun.
  private func isSame(_ head: ResponseHead) -> Bool {
    promised != nil && head.bodyLength == promised && validators.ifSame != nil && head.validators == validators
  }

  /// Writes the next bytes of a body.
  func receive(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
    guard count + Int64(bytes.count) <= limit else { throw .tooLarge(limit: limit) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, Int(count))
      if written < 0, errno == EINTR { continue }
      if written <= 0 { throw .notKept(cause: systemMessage(errno)) }
      rest = rest.dropFirst(written)
      count += Int64(written)
    }
    if peak < count { (peak, peakTime) = (count, monotonicNanoseconds()) }
    arrival?.come(upTo: count)
  }

  /// Starts over without any bytes.
  func restart() throws(FetchFailure) {
    arrival?.withdraw()
    guard ftruncate(descriptor, 0) == 0 else { throw .notKept(cause: systemMessage(errno)) }
    (count, peak, promised, validators) = (0, 0, nil, Validators())
  }

  /// Keeps the file for the next download, if that can continue it.
  func keepForLater() { isKept = isShared && !wish.isEmpty }

  /// Renames the complete file.
  func become(_ name: String) throws(FetchFailure) {
    guard rename(path, name) == 0 else { throw .notKept(cause: systemMessage(errno)) }
    isKept = true
    if isShared { unlink(path + ".json") }
  }

  private func discard() {
    unlink(path)
    if isShared { unlink(path + ".json") }
  }

  /// Continues an earlier download. Without its note, nobody knows what the bytes belong to.
  private func resume() {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, let data = FileManager.default.contents(atPath: path + ".json"),
      let note = try? JSONDecoder().decode(Note.self, from: data), note.address == address
    else { return }
    (count, validators) = (Int64(facts.st_size), note.validators)
    peak = count
  }

  /// Stores what the bytes of the file belong to.
  private func note(_ note: Note) {
    try? JSONEncoder().encode(note).write(to: URL(fileURLWithPath: path + ".json"), options: .atomic)
  }
}

/// Opens and locks a file; nil if another process has locked it, or if it can't be created.
private func claim(_ path: String) -> Int32? {
  // The process that had locked it may have renamed it in the meantime. Then the next try creates a new file.
  for _ in 0..<3 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard 0 <= descriptor else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isStillNamed(path, descriptor) { return descriptor }
    close(descriptor)
  }
  return nil
}

/// Whether a path still names the open file.
private func isStillNamed(_ path: String, _ descriptor: Int32) -> Bool {
  var (open, named) = (stat(), stat())
  return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino
    && open.st_dev == named.st_dev
}
