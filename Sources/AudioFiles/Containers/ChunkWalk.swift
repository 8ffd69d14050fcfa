/// Finds the chunks of a file one after the other, even if the length of one of them is wrong by a few bytes.
struct ChunkWalk {
  struct Chunk {
    var name: String
    /// Where its content begins.
    var body: Int64
    /// The size that the file states; negative, or beyond the file's end, if the writer did not know it.
    var size: Int64
    var end: Int64 { body + size }

    /// Whether its content is within the first bytes of a file.
    func isComplete(before end: Int64) -> Bool { 0 <= size && size <= end - body }

    /// Removes the first bytes of the content.
    mutating func drop(_ count: Int64) { (body, size) = (body + count, size &- count) }
  }

  private let file: RegularFile
  private let format: ChunkFormat
  /// Chunks begin at a multiple of the alignment from here on.
  private let origin: Int64
  private let end: Int64
  /// Where the next chunk should begin, without padding.
  private var offset: Int64
  /// Whether the next chunk may begin anywhere.
  private var isLost = false
  /// How many chunks are left: a damaged file can make a very long chain.
  private var left = 1_000

  /// How far the next chunk is searched, in bytes.
  private static let reach = 65_536

  init(_ file: RegularFile, _ format: ChunkFormat, at origin: Int64, to end: Int64) {
    (self.file, self.format, self.origin, self.end) = (file, format, origin, end)
    offset = origin + format.start
  }

  /// The next chunk; nil at the end.
  mutating func next() -> Chunk? {
    guard 0 < left, let chunk = nearest() else { return nil }
    left -= 1
    // If the size is no size, the next chunk is searched from the content on.
    isLost = !chunk.isComplete(before: end)
    offset = isLost ? chunk.body : chunk.end
    return chunk
  }

  /// Continues at `offset`.
  mutating func move(to offset: Int64) { (self.offset, isLost) = (offset, false) }

  /// Whether a complete chunk with a known name begins at `offset`.
  func hasChunk(at offset: Int64) -> Bool {
    chunk(at: offset).map { format.isKnown($0.name) && $0.isComplete(before: end) } ?? false
  }

  /// Where the last chunks begin, if the size of each of them leads to the next one, and that of the last one exactly to
  /// the end. nil if there are none.
  func tail(from start: Int64) -> Int64? {
    let first = max(start, end - Int64(Self.reach))
    let place = named(from: first) { $0.name != format.sound && leads(from: $0) }
    return place.map { $0.body - Int64(format.headBytes) }
  }

  /// Whether the sizes of chunks lead from one to another, up to one of those that are wanted, or exactly to the end.
  private func leads(from first: Chunk, to isWanted: (Chunk) -> Bool = { _ in false }) -> Bool {
    var chunk = first
    for _ in 0..<left where chunk.isComplete(before: end) {
      if chunk.end == end || aligned(chunk.end) == end { return true }
      guard let next = self.chunk(at: aligned(chunk.end)) else { return false }
      if isWanted(next) { return true }
      chunk = next
    }
    return false
  }

  /// The next multiple of the alignment.
  private func aligned(_ offset: Int64) -> Int64 {
    offset + -(offset - origin - format.start) & (format.alignment - 1)
  }

  /// The chunk at the next multiple of the alignment; if none is there, the next one with a known name.
  private func nearest() -> Chunk? {
    let padded = chunk(at: aligned(offset))
    if let padded, format.isKnown(padded.name) { return padded }
    if let chunk = chunk(at: offset), format.isKnown(chunk.name) { return chunk }
    let isName = padded?.name.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ?? false
    if let padded, !isLost, isName || leads(from: padded, to: { format.isKnown($0.name) }) { return padded }
    return named(from: offset) { _ in true }
  }

  /// The first wanted chunk with a known name in the next bytes.
  private func named(from start: Int64, where isWanted: (Chunk) -> Bool) -> Chunk? {
    let bytes = file.bytes(at: start, count: Int(min(Int64(Self.reach), max(0, end - start))))
    for index in bytes.indices.dropLast(3) where 0x20..<0x7F ~= bytes[index] {
      guard format.isKnown(String(decoding: bytes[index..<index + 4], as: UTF8.self)) else { continue }
      if let chunk = chunk(at: start + Int64(index)), isWanted(chunk) { return chunk }
    }
    return nil
  }

  private func chunk(at offset: Int64) -> Chunk? {
    guard offset + Int64(format.headBytes) <= end else { return nil }
    let head = file.bytes(at: offset, count: format.headBytes)
    guard head.count == format.headBytes else { return nil }
    let size = head[format.nameBytes...].number(format.order) &- (format.countsHeads ? Int64(head.count) : 0)
    return Chunk(name: String(decoding: head[..<4], as: UTF8.self), body: offset + Int64(head.count), size: size)
  }
}
