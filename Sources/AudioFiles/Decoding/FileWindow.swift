import Glibc

/// A piece of a file in memory, for parsers that read few bytes at a time. It moves to the bytes that are requested.
struct FileWindow {
  /// The size of the piece in bytes.
  static let size = 65_536

  private let file: RegularFile
  /// The offset of the piece in the file.
  private var start: Int64 = 0
  private var content: [UInt8] = []

  init(_ file: RegularFile) { self.file = file }

  /// Four bytes as a big-endian number; nil at the end of the file.
  mutating func word(at offset: Int64) -> UInt32? {
    guard move(to: offset, count: 4) else { return nil }
    let index = Int(offset - start)
    return content.withUnsafeBufferPointer {
      UInt32($0[index]) << 24 | UInt32($0[index + 1]) << 16 | UInt32($0[index + 2]) << 8 | UInt32($0[index + 3])
    }
  }

  /// `count` bytes, at most `size`; empty if the file ends before them.
  mutating func bytes(at offset: Int64, count: Int) -> [UInt8] {
    guard move(to: offset, count: count) else { return [] }
    let index = Int(offset - start)
    return Array(content[index..<index + count])
  }

  /// The number of bytes in memory before the first byte of the value `mark`, and whether there is one. At the end of the
  /// file, the number is 0 and there is none.
  mutating func distance(to mark: UInt8, from offset: Int64) -> (count: Int, isThere: Bool) {
    available(from: offset) { bytes in
      guard let base = bytes.baseAddress else { return (0, false) }
      let found = memchr(base, Int32(mark), bytes.count)
      return found.map { (UnsafeRawPointer(base).distance(to: $0), true) } ?? (bytes.count, false)
    }
  }

  /// Calls `body` with those bytes from `offset` on that are in memory: at least one, except at the end of the file.
  mutating func available<Result>(from offset: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let isThere = move(to: offset, count: 1)
    return content.withUnsafeBufferPointer { content in
      body(
        isThere
          ? UnsafeBufferPointer(rebasing: content[Int(offset - start)...]) : UnsafeBufferPointer(start: nil, count: 0))
    }
  }

  /// Moves the piece if necessary. Returns false if the file ends before the requested bytes.
  private mutating func move(to offset: Int64, count: Int) -> Bool {
    if start <= offset, offset + Int64(count) <= start + Int64(content.count) { return true }
    start = offset
    content = file.bytes(at: offset, count: Self.size)
    return count <= content.count
  }
}
