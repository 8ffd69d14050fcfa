import Glibc

/// The bytes of a file as a decoding library sees them: stretches of the file, one after the other, behind a small buffer.
///
/// Leaving stretches out is how tags and garbage between two MPEG frames never reach a decoder.
final class ByteView {
  struct Stretch: Hashable {
    var offset: Int64
    var count: Int64
  }

  static let bufferSize = 65_536

  let length: Int64
  /// What a library is told: a file that was cut has its whole length, or libsndfile refuses some, and reads end early.
  private(set) var claimedLength: Int64
  private let file: RegularFile
  private let stretches: [Stretch]
  /// Where each stretch begins in the view.
  private let starts: [Int64]
  private(set) var position: Int64 = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 64)
  private var bufferStart: Int64 = 0
  private var bufferCount = 0
  /// How often the file was changed since it was opened, as far as the reading has come upon it.
  private(set) var changes = 0
  private var identity: RegularFile.Identity
  /// Bytes of the file that were read last: what comes next follows them only while they are still there.
  private var tail: (offset: Int64, bytes: [UInt8]) = (0, [])
  /// Whether the file was written over where the reading has come to: nothing more comes.
  private(set) var isCutOff = false
  private static let tailSize = 4_096

  init(of file: RegularFile, _ stretches: [Stretch]) {
    self.file = file
    self.stretches = stretches
    identity = file.identity
    var (starts, length) = ([Int64](), Int64(0))
    for stretch in stretches {
      starts.append(length)
      length += stretch.count
    }
    (self.starts, self.length, claimedLength) = (starts, length, length)
  }

  convenience init(of file: RegularFile) { self.init(of: file, [Stretch(offset: 0, count: file.size)]) }

  /// Makes room for what the header promises beyond the end of the file.
  func claim(_ data: DataChunk?) {
    guard let data, data.present >= 0, data.promised < Int64.max / 2 else { return }
    claimedLength = max(length, length - data.present + data.promised)
  }

  deinit { buffer.deallocate() }

  /// Copies up to `count` bytes from the position on, moves it, and returns how many; 0 at the end.
  func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
    var done = 0
    while done < count, position < length {
      let offset = position - bufferStart
      guard offset >= 0, offset < bufferCount else {
        if !fill() { break }
        continue
      }
      let piece = min(count - done, bufferCount - Int(offset))
      guard let source = buffer.baseAddress else { break }
      memcpy(target + done, source + Int(offset), piece)
      done += piece
      position += Int64(piece)
    }
    return done
  }

  /// As `lseek`: the new position, or −1 and no move where there is none.
  func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : claimedLength
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return -1 }
    position = target
    return target
  }

  /// Fills the buffer from the position on, within one stretch; false where the file has no more.
  private func fill() -> Bool {
    let index = stretchIndex
    let inside = position - starts[index]
    let count = Int(min(stretches[index].count - inside, Int64(buffer.count)))
    let offset = stretches[index].offset + inside
    bufferStart = position
    bufferCount = file.readSome(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    if isCutOff || !follows { bufferCount = 0 }
    let kept = min(bufferCount, Self.tailSize)
    tail = (offset + Int64(bufferCount - kept), Array(buffer[bufferCount - kept..<bufferCount]))
    return bufferCount > 0
  }

  /// Whether what was just read follows what was read before: tags can be changed without harm, but what was written over
  /// the sound is something else.
  private var follows: Bool {
    let now = file.identityNow
    guard now != identity, file.arriving == nil else { return true }
    identity = now
    changes += 1
    isCutOff = file.bytes(at: tail.offset, count: tail.bytes.count) != tail.bytes
    return !isCutOff
  }

  /// Of the stretch that holds the position, which lies before the end: the last that begins there or before.
  private var stretchIndex: Int {
    var (low, high) = (0, starts.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    return low
  }
}
