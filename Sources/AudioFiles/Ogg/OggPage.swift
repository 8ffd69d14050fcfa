/// An undamaged page of an Ogg file.
struct OggPage {
  /// Its first byte in the file.
  let offset: Int64
  private let bytes: [UInt8]

  /// The signature.
  static let mark = Array("OggS".utf8)
  /// The number of bytes that a search budget loses for each signature: the usual size of a page.
  static let usual: Int64 = 8_192

  /// Returns nil if no page begins at `offset`, or if the page is incomplete or its checksum doesn't match.
  init?(in file: RegularFile, at offset: Int64) {
    guard let size = Self.size(Self.head(in: file, at: offset)) else { return nil }
    bytes = file.bytes(at: offset, count: size)
    self.offset = offset
    guard bytes.count == size, oggChecksum(bytes) == number(22..<26) else { return nil }
  }

  /// The first bytes of a page, with the lengths of its segments.
  static func head(in file: RegularFile, at offset: Int64) -> [UInt8] { file.bytes(at: offset, count: 27 + 255) }

  /// The bytes of a page that begins with a head; nil if none does.
  static func size(_ head: [UInt8]) -> Int? {
    guard head.count >= 27, head.starts(with: mark) else { return nil }
    return head[27...].prefix(Int(head[26])).reduce(27 + Int(head[26])) { $0 + Int($1) }
  }

  /// The bytes that a decoder gets. The first page of an Opus stream states the rate of the recording before it was
  /// encoded, which libsndfile takes for that of the sound. It is 48,000 Hz, whatever the page states, and all versions
  /// below 16 are compatible with version 1, the only one that libsndfile accepts (RFC 7845, section 5.1).
  var decodable: [UInt8] {
    guard body.starts(with: "OpusHead".utf8), 16 <= body.count else { return bytes }
    var bytes = bytes
    if bytes[bodyStart + 8] < 16 { bytes[bodyStart + 8] = 1 }
    bytes.replaceSubrange(bodyStart + 12..<bodyStart + 16, with: ByteOrder.little.bytes(48_000, count: 4))
    bytes.replaceSubrange(22..<26, with: ByteOrder.little.bytes(Int64(oggChecksum(bytes)), count: 4))
    return bytes
  }

  var size: Int64 { Int64(bytes.count) }
  /// The byte after its last one.
  var end: Int64 { offset + size }
  /// Whether it is marked as the first page of its stream.
  var isFirst: Bool { bytes[5] & 2 != 0 }
  /// Whether it is marked as the last page of its stream.
  var isLast: Bool { bytes[5] & 4 != 0 }
  /// The serial number of the stream.
  var serial: UInt32 { number(14..<18) }
  /// The number of the page within its stream.
  var sequence: UInt32 { number(18..<22) }
  /// The stream's position at the end of the page; nil if no frame ends on it, for pages of headers, and for positions
  /// that no sound has.
  var position: Int64? {
    let frames = Int64(bitPattern: number(6..<14))
    return 0 < frames && frames <= mostFrames ? frames : nil
  }
  /// How many packets end on this page.
  var packets: Int { lacing.count { $0 < 255 } }
  /// How many of them also begin on it.
  var wholePackets: Int { packets - (isContinued ? 1 : 0) }
  /// Whether its first packet begins on an earlier page.
  var isContinued: Bool { bytes[5] & 1 != 0 }
  /// The lengths of its segments. One of less than 255 bytes ends a packet.
  var lacing: ArraySlice<UInt8> { bytes[27..<bodyStart] }
  var body: ArraySlice<UInt8> { bytes[bodyStart...] }

  private var bodyStart: Int { 27 + Int(bytes[26]) }

  /// A little-endian number.
  private func number<Number: FixedWidthInteger>(_ range: Range<Int>) -> Number {
    bytes[range].reversed().reduce(0) { $0 << 8 | Number($1) }
  }
}
