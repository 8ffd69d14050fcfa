/// A page of an Ogg file that is there as it was written.
struct OggPage {
  let offset: Int64
  private let bytes: [UInt8]

  static let mark = Array("OggS".utf8)
  /// Bytes that a search counts for what looks like a page.
  static let usual: Int64 = 8_192

  /// Nil where no page begins, or one that is torn or was overwritten.
  init?(in file: RegularFile, at offset: Int64) {
    let head = file.bytes(at: offset, count: 27 + 255)
    guard head.count >= 27, head.starts(with: Self.mark) else { return nil }
    let size = head[27...].prefix(Int(head[26])).reduce(27 + Int(head[26])) { $0 + Int($1) }
    bytes = file.bytes(at: offset, count: size)
    self.offset = offset
    guard bytes.count == size, checksum(unsigned) == number(22..<26) else { return nil }
  }

  var size: Int64 { Int64(bytes.count) }
  /// Where the next one begins.
  var end: Int64 { offset + size }
  var isLast: Bool { bytes[5] & 4 != 0 }
  var serial: UInt32 { number(14..<18) }
  var sequence: UInt32 { number(18..<22) }
  /// Frames of the stream up to here; nil where none ends on this page, and on those of the headers.
  var position: Int64? {
    let frames = Int64(bitPattern: number(6..<14))
    return 0 < frames ? frames : nil
  }
  /// Packets that end on this page.
  var packets: Int { bytes[27..<bodyStart].count { $0 < 255 } }
  var body: ArraySlice<UInt8> { bytes[bodyStart...] }

  private var bodyStart: Int { 27 + Int(bytes[26]) }

  /// As it was when its checksum was made.
  private var unsigned: [UInt8] { bytes[..<22] + [0, 0, 0, 0] + bytes[26...] }

  private func number<Number: FixedWidthInteger>(_ range: Range<Int>) -> Number {
    bytes[range].reversed().reduce(0) { $0 << 8 | Number($1) }
  }
}
