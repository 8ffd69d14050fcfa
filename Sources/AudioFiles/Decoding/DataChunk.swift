/// The bytes of sound in a chunked file.
struct DataChunk {
  /// As many as the header states.
  var promised: Int64
  /// As many as there are after the chunk's header.
  var present: Int64
}

/// The data chunk of a RIFF, RF64, AIFF or CAF file; nil for other files, and if the size is left open.
func promisedData(_ file: RegularFile) -> DataChunk? {
  let head = file.bytes(at: 0, count: 12)
  guard head.count == 12 else { return nil }
  switch String(decoding: head[..<4], as: UTF8.self) {
  case "RIFF": return walk(file, from: 12, Layout(name: "data", sizeBytes: 4, bigEndian: false))
  case "FORM": return walk(file, from: 12, Layout(name: "SSND", sizeBytes: 4, bigEndian: true))
  case "caff": return walk(file, from: 8, Layout(name: "data", sizeBytes: 8, bigEndian: true))
  case "RF64": return longChunk(file)
  default: return nil
  }
}

/// How a format writes its chunks.
private struct Layout {
  /// The name of the data chunk.
  var name: String
  /// Bytes of the size field.
  var sizeBytes: Int
  var bigEndian: Bool
  var headBytes: Int64 { Int64(4 + sizeBytes) }
  /// Whether a writer left the size open, because it could not know it yet.
  func isOpen(_ size: Int64) -> Bool { sizeBytes == 8 ? size < 0 : size == 0 || size >= 0x7FFF_F000 && !bigEndian }
}

/// Searches the data chunk. The number of chunks is limited, because a damaged header can form a very long chain.
private func walk(_ file: RegularFile, from start: Int64, _ layout: Layout) -> DataChunk? {
  var offset = start
  for _ in 0..<1_000 {
    let head = file.bytes(at: offset, count: Int(layout.headBytes))
    guard head.count == Int(layout.headBytes) else { return nil }
    let size = integer(head[4...], bigEndian: layout.bigEndian)
    let body = offset + layout.headBytes
    if String(decoding: head[..<4], as: UTF8.self) == layout.name {
      return layout.isOpen(size) ? nil : DataChunk(promised: size, present: file.size - body)
    }
    guard size >= 0, size <= file.size else { return nil }
    offset = body + size + (layout.sizeBytes == 4 ? size & 1 : 0)
  }
  return nil
}

/// The data chunk of an RF64 file: its size is in the first chunk, `ds64`.
private func longChunk(_ file: RegularFile) -> DataChunk? {
  let head = file.bytes(at: 12, count: 24)
  guard head.count == 24, String(decoding: head[..<4], as: UTF8.self) == "ds64" else { return nil }
  let size = integer(head[16..<24], bigEndian: false)
  // The chunks before the data are small, so an approximate start is good enough.
  return size > 0 ? DataChunk(promised: size, present: file.size - 80) : nil
}

private func integer(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> Int64 {
  let ordered = bigEndian ? Array(bytes) : bytes.reversed()
  return ordered.reduce(0) { $0 << 8 | Int64($1) }
}
