/// A piece of a file that moves along with what is asked for.
struct FileWindow {
  static let size = 65_536

  private let file: RegularFile
  private var start: Int64 = 0
  private var content: [UInt8] = []

  init(_ file: RegularFile) { self.file = file }

  /// Four bytes, the first one highest.
  mutating func word(at offset: Int64) -> UInt32? {
    guard move(to: offset, count: 4) else { return nil }
    let index = Int(offset - start)
    return content.withUnsafeBufferPointer {
      UInt32($0[index]) << 24 | UInt32($0[index + 1]) << 16 | UInt32($0[index + 2]) << 8 | UInt32($0[index + 3])
    }
  }

  mutating func bytes(at offset: Int64, count: Int) -> [UInt8] {
    guard move(to: offset, count: count) else { return [] }
    let index = Int(offset - start)
    return Array(content[index..<index + count])
  }

  /// All that is held from `offset` on: at least one byte, but at the end of the file.
  mutating func rest<Result>(from offset: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let isThere = move(to: offset, count: 1)
    return content.withUnsafeBufferPointer { content in
      body(
        isThere
          ? UnsafeBufferPointer(rebasing: content[Int(offset - start)...]) : UnsafeBufferPointer(start: nil, count: 0))
    }
  }

  private mutating func move(to offset: Int64, count: Int) -> Bool {
    if start <= offset, offset + Int64(count) <= start + Int64(content.count) { return true }
    start = offset
    content = file.bytes(at: offset, count: Self.size)
    return count <= content.count
  }
}
