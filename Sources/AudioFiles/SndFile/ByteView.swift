import Engine
import Glibc
import Sounds

/// The input of a decoding library: a head in memory and segments of a file, one after the other, read through a small
/// buffer.
///
/// The other bytes of the file, such as tags and garbage between MPEG frames, are hidden from the library. Used by one
/// thread at a time.
final class ByteView {
  /// A range of the file's bytes.
  struct Segment: Hashable {
    var offset: Int64
    var count: Int64
    var end: Int64 { offset + count }
  }

  /// Bytes of the first reads. A read that continues the one before it has up to `longestRead`.
  static let bufferSize = 65_536

  /// The number of bytes of the head and all segments.
  let length: Int64
  /// The length that is reported to the library. For a truncated file it is the length that the header states. Reads
  /// beyond `length` return nothing.
  let claimedLength: Int64
  /// The maximum number of bytes of a read.
  var longestRead: Int
  private let file: RegularFile
  private let head: [UInt8]
  private let segments: [Segment]
  /// The position in the view at which each segment begins.
  private let starts: [Int64]
  /// The position of the next read, in bytes of the view.
  private(set) var position: Int64 = 0
  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 64)
  /// The position in the view of the first buffered byte.
  private var bufferStart: Int64 = 0
  private var bufferCount = 0
  /// How many changes of the file reads have detected since it was opened.
  private(set) var changes = 0
  /// The identity of the content that was read last.
  private var identity: RegularFile.Identity
  /// The last bytes that were read from the file. If they are still the same after a change, the bytes after them
  /// belong to the same sound.
  private var tail: (offset: Int64, bytes: [UInt8]) = (0, [])
  /// Whether the bytes that were read last have been overwritten. Then nothing more is read.
  private(set) var isOverwritten = false
  private static let tailSize = 4_096
  /// When the file was last checked for a change, in nanoseconds of the monotonic clock.
  private var lastCheck: Int64 = 0
  /// A render reads a file hundreds of times per second. Long reads are checked for a change at most this often, in
  /// nanoseconds.
  private static let checkInterval: Int64 = 50_000_000

  /// - Parameter missing: how many bytes a truncated file lacks.
  init(of file: RegularFile, head: [UInt8] = [], _ segments: [Segment], missing: Int64 = 0) {
    self.file = file
    self.head = head
    self.segments = segments
    identity = file.identity
    longestRead = min(file.longestRead, 4 * Self.bufferSize)
    var (starts, length) = ([Int64](), Int64(head.count))
    for segment in segments {
      starts.append(length)
      length += segment.count
    }
    (self.starts, self.length, claimedLength) = (starts, length, length + missing)
  }

  /// A complete file.
  convenience init(of file: RegularFile) { self.init(of: file, [Segment(offset: 0, count: file.contentEnd)]) }

  deinit { buffer.deallocate() }

  /// Reads up to `count` bytes at the position, and advances it. Returns the number of bytes; 0 at the end.
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

  /// Moves the position as `lseek` does, and returns it; −1, without any change, for a position before the view.
  func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : claimedLength
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return -1 }
    position = target
    return target
  }

  /// Fills the buffer from the position on, within one segment. Returns false if the file has no more bytes.
  private func fill() -> Bool {
    if position < Int64(head.count) { return fillFromHead() }
    let isSequential = Int64(head.count) <= bufferStart && position == bufferStart + Int64(bufferCount)
    if 0 < bufferCount, isSequential { growBuffer() }
    let index = segmentIndex
    let inside = position - starts[index]
    let count = Int(min(segments[index].count - inside, Int64(buffer.count)))
    let offset = segments[index].offset + inside
    bufferStart = position
    bufferCount = file.readSome(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    if isOverwritten || !follows { bufferCount = 0 }
    let kept = min(bufferCount, Self.tailSize)
    tail = (offset + Int64(bufferCount - kept), Array(buffer[bufferCount - kept..<bufferCount]))
    return bufferCount > 0
  }

  private func fillFromHead() -> Bool {
    bufferStart = position
    bufferCount = min(head.count - Int(position), buffer.count)
    buffer.copyBytes(from: head[Int(position)..<Int(position) + bufferCount])
    return true
  }

  /// Doubles the buffer, because the file is read sequentially: longer reads need fewer system calls.
  private func growBuffer() {
    guard buffer.count < longestRead, Int64(buffer.count) < length - position else { return }
    buffer.deallocate()
    buffer = .allocate(byteCount: longestRead, alignment: 64)
  }

  /// Whether the bytes that were just read belong to the same sound as those before. A change of the file's tags does
  /// no harm, but if the sound was overwritten, the following bytes belong to another one.
  private var follows: Bool {
    guard file.download == nil, isCheckDue else { return true }
    let now = file.identityNow
    guard now != identity else { return true }
    identity = now
    changes += 1
    isOverwritten = file.currentBytes(at: tail.offset, count: tail.bytes.count) != tail.bytes
    return !isOverwritten
  }

  /// Whether the file has to be checked for a change after this read.
  private var isCheckDue: Bool {
    if buffer.count == Self.bufferSize { return true }
    let now = monotonicNanoseconds()
    if now - lastCheck < Self.checkInterval { return false }
    lastCheck = now
    return true
  }

  /// The segment that contains the position: the last one that begins there or before.
  ///
  /// - Precondition: the position is before the end.
  private var segmentIndex: Int {
    var (low, high) = (0, starts.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    return low
  }
}
