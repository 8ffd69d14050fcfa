/// The number of bytes in the data chunk of a file.
struct DataChunk {
  /// The number that the header states.
  var declared: Int64
  /// The number of bytes that the file has after the chunk's header.
  var present: Int64
}

/// The data chunk of a RIFF, RF64, AIFF or CAF file; nil for other files, and if the header doesn't state the size.
func declaredData(_ file: RegularFile) -> DataChunk? {
  let head = file.bytes(at: 0, count: 12)
  guard head.count == 12 else { return nil }
  let (name, layout, start): (String, Layout, Int64)
  switch String(decoding: head[..<4], as: UTF8.self) {
  case "RIFF", "RF64": (name, layout, start) = ("data", Layout(sizeBytes: 4, bigEndian: false), 12)
  case "FORM": (name, layout, start) = ("SSND", Layout(sizeBytes: 4, bigEndian: true), 12)
  case "caff": (name, layout, start) = ("data", Layout(sizeBytes: 8, bigEndian: true), 8)
  default: return nil
  }
  guard let (size, body) = chunk(name, of: file, from: start, layout) else { return nil }
  let present = file.size - body
  // A size that does not fit into 4 bytes is in the first chunk of an RF64 file.
  if size == 0xFFFF_FFFF, let declared = longSize(file) { return DataChunk(declared: declared, present: present) }
  return layout.isUnknown(size) ? nil : DataChunk(declared: size, present: present)
}

/// How a format encodes chunks.
private struct Layout {
  /// Bytes of the size field.
  var sizeBytes: Int
  var bigEndian: Bool
  var headBytes: Int64 { Int64(4 + sizeBytes) }
  /// Whether a size means that the writer did not know the size.
  func isUnknown(_ size: Int64) -> Bool { sizeBytes == 8 ? size < 0 : size == 0 || size >= 0x7FFF_F000 && !bigEndian }
}

/// The size of a chunk, and where its content begins. The number of chunks is limited, because a damaged header can
/// make a very long chain.
private func chunk(
  _ name: String, of file: RegularFile, from start: Int64, _ layout: Layout
) -> (size: Int64, body: Int64)? {
  var offset = start
  for _ in 0..<1_000 {
    let head = file.bytes(at: offset, count: Int(layout.headBytes))
    guard head.count == Int(layout.headBytes) else { return nil }
    let size = integer(head[4...], bigEndian: layout.bigEndian)
    let body = offset + layout.headBytes
    if String(decoding: head[..<4], as: UTF8.self) == name { return (size, body) }
    guard size >= 0, size <= file.size else { return nil }
    offset = body + size + (layout.sizeBytes == 4 ? size & 1 : 0)
  }
  return nil
}

/// The size of the data chunk of an RF64 file; nil for other files, and if the header doesn't state the size.
private func longSize(_ file: RegularFile) -> Int64? {
  let head = file.bytes(at: 0, count: 36)
  guard head.count == 36, String(decoding: head[..<4], as: UTF8.self) == "RF64",
    String(decoding: head[12..<16], as: UTF8.self) == "ds64"
  else { return nil }
  let size = integer(head[28..<36], bigEndian: false)
  return size > 0 ? size : nil
}

private func integer(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> Int64 {
  let ordered = bigEndian ? Array(bytes) : bytes.reversed()
  return ordered.reduce(0) { $0 << 8 | Int64($1) }
}
