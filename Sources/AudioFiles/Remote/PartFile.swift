import Engine
import Foundation
import Glibc

/// What has come of a sound so far. When a fetch breaks off it stays, for the next one to go on behind it.
///
/// One process at a time has the file that outlives it; a second one that wants the same sound meanwhile writes a file
/// of its own, which it takes away again.
final class PartFile: BodyReceiver {
  private struct Note: Codable {
    var address: String
    var validators: Validators
  }

  let path: String
  private(set) var count: Int64 = 0
  /// How much of it there has been at most, and when the last of that came, in nanoseconds of the monotonic clock: what is
  /// sent once more is nothing new.
  private(set) var (peak, peakTime): (Int64, Int64) = (0, monotonicNanoseconds())
  /// Of the content that is begun here.
  private(set) var validators = Validators()
  /// Of the whole, where the server has said it.
  private(set) var promised: Int64?
  /// Told what comes, where it may be read meanwhile.
  var arrival: Arrival?

  private let address: String
  private let limit: Int64
  private let descriptor: Int32
  private let isShared: Bool
  private var isKept = false

  /// - Parameter stem: the path without its ending.
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
    // So that no other process takes it away to make room.
    flock(descriptor, LOCK_EX | LOCK_NB)
    if descriptor < 0 { throw .notKept(cause: "\(stem): \(systemMessage(errno))") }
  }

  deinit {
    if !isKept { discard() }
    close(descriptor)
  }

  /// A line that asks for what is missing; none where all is.
  var wish: [String] {
    guard 0 < count, let same = validators.ifSame else { return [] }
    return ["Range: bytes=\(count)-", same]
  }

  func begin(_ head: ResponseHead) throws(FetchFailure) {
    if let part = head.part {
      guard part.start == count, 0 < count else {
        throw .other(cause: "the server sends another part than it was asked for")
      }
      promised = part.whole ?? promised
    } else if isSame(head) {
      // Somebody may be reading what is here: it is written over by itself.
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

  /// What may be read before it is whole: what would be gone on with, should it break off.
  private var content: Arrival.Content? {
    guard let promised, validators.ifSame != nil else { return nil }
    return Arrival.Content(path: path, length: promised, validators: validators)
  }

  /// Whether a response brings once more what has begun to come in this fetch.
  private func isSame(_ head: ResponseHead) -> Bool {
    promised != nil && head.bodyLength == promised && validators.ifSame != nil && head.validators == validators
  }

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

  /// Begins anew with nothing.
  func restart() throws(FetchFailure) {
    arrival?.withdraw()
    guard ftruncate(descriptor, 0) == 0 else { throw .notKept(cause: systemMessage(errno)) }
    (count, peak, promised, validators) = (0, 0, nil, Validators())
  }

  /// Leaves it where the next fetch finds it, if that can make anything of it.
  func keepForLater() { isKept = isShared && !wish.isEmpty }

  /// It is whole, and is called something else from now on.
  func become(_ name: String) throws(FetchFailure) {
    guard rename(path, name) == 0 else { throw .notKept(cause: systemMessage(errno)) }
    isKept = true
    if isShared { unlink(path + ".json") }
  }

  private func discard() {
    unlink(path)
    if isShared { unlink(path + ".json") }
  }

  /// Without the note nobody knows what the bytes belong to.
  private func resume() {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, let data = FileManager.default.contents(atPath: path + ".json"),
      let note = try? JSONDecoder().decode(Note.self, from: data), note.address == address
    else { return }
    (count, validators) = (Int64(facts.st_size), note.validators)
    peak = count
  }

  private func note(_ note: Note) {
    try? JSONEncoder().encode(note).write(to: URL(fileURLWithPath: path + ".json"), options: .atomic)
  }
}

/// Opens a file for one process alone; nil where another one has it, or it can't be made.
private func claim(_ path: String) -> Int32? {
  // Whoever had it may have called it something else in between: then there is another one to be had.
  for _ in 0..<3 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard 0 <= descriptor else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isStillNamed(path, descriptor) { return descriptor }
    close(descriptor)
  }
  return nil
}

private func isStillNamed(_ path: String, _ descriptor: Int32) -> Bool {
  var (open, named) = (stat(), stat())
  return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino
    && open.st_dev == named.st_dev
}
