/// A page of an Ogg file that is there as it was written.
struct OggPage {
  private let bytes: [UInt8]

  /// Nil where no page begins, or one that is torn or was overwritten.
  init?(in file: RegularFile, at offset: Int64) {
    let head = file.bytes(at: offset, count: 27 + 255)
    guard head.count >= 27, head.starts(with: Array("OggS".utf8)) else { return nil }
    let size = head[27...].prefix(Int(head[26])).reduce(27 + Int(head[26])) { $0 + Int($1) }
    bytes = file.bytes(at: offset, count: size)
    guard bytes.count == size, checksum(unsigned) == number(22..<26) else { return nil }
  }

  var size: Int64 { Int64(bytes.count) }
  var isLast: Bool { bytes[5] & 4 != 0 }
  /// Frames of the stream up to here; nil where none ends on this page, and on those of the headers.
  var position: Int64? {
    let frames = Int64(bitPattern: number(6..<14))
    return 0 < frames ? frames : nil
  }

  /// As it was when its checksum was made.
  private var unsigned: [UInt8] { bytes[..<22] + [0, 0, 0, 0] + bytes[26...] }

  private func number<Number: FixedWidthInteger>(_ range: Range<Int>) -> Number {
    bytes[range].reversed().reduce(0) { $0 << 8 | Number($1) }
  }
}

/// Whether an Ogg file has lost its first or last page of sound, which libsndfile takes for a shorter stream: the last one
/// has to say so, as RFC 3533 asks. Between them fewer frames come than libsndfile promises.
func isCutOgg(_ file: RegularFile) -> Bool {
  guard let offset = lastPage(of: file), let page = OggPage(in: file, at: offset) else { return true }
  return !page.isLast || !hasItsBeginning(file)
}

/// Whether all pages are whole up to the first that ends a frame of sound.
private func hasItsBeginning(_ file: RegularFile) -> Bool {
  var offset = ID3Tag.length(file)
  while offset < file.size {
    guard let page = OggPage(in: file, at: offset) else { return false }
    if page.position != nil { return true }
    offset += page.size
  }
  return true
}

/// Where the last page begins; a page is never larger than half of what is searched.
private func lastPage(of file: RegularFile) -> Int64? {
  let start = max(0, file.size - 131_072)
  let tail = file.bytes(at: start, count: 131_072)
  let mark = Array("OggS".utf8)
  let index = tail.indices.reversed().first { tail[$0] == mark[0] && tail[$0...].starts(with: mark) }
  return index.map { start + Int64($0) }
}
