import CAv

/// The bytes of a file that consists of packets and tags only, such as `.aac` and `.ac3`. libavformat passes over what is
/// between packets, and over the beginning of one at the end.
struct RawFrames {
  private let file: RegularFile
  private var window: FileWindow
  /// The byte after the packets.
  private let end: Int64
  /// The byte after the packet that was read last; nil before the first one.
  private var next: Int64?
  /// The number of bytes between the last two packets.
  private(set) var skipped: Int64 = 0

  init(_ file: RegularFile) {
    self.file = file
    window = FileWindow(file)
    end = file.contentEnd
  }

  /// Whether bytes are left after the last packet, other than zeros.
  var breaksOff: Bool { next.map { $0 < end && !isPadding(at: $0) } ?? false }

  /// Takes note of a packet, and cuts off what is behind it: tags, zeros, or a packet whose beginning is damaged. Returns
  /// false if it consists of tags or zeros.
  mutating func take(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    let head = Array(UnsafeBufferPointer(start: packet.pointee.data, count: min(16, Int(packet.pointee.size))))
    let offset = offset(of: head, packet)
    guard offset < end, !head.allSatisfy({ $0 == 0 }) else { return false }
    let size = Self.head(head)?.size
    packet.pointee.size = Int32(min(Int64(packet.pointee.size), Int64(size ?? .max), end - offset))
    // A stream in pieces, each with a tag of its own, has tags between the packets, too.
    skipped = next.map { $0 < offset && !has("ID3", at: $0) ? offset - $0 : 0 } ?? 0
    next = offset + Int64(packet.pointee.size)
    return true
  }

  /// How far the next packet is searched, in bytes.
  private static let reach = 262_144

  /// The place of a packet in the file. After bytes that are no packet, libavformat states a wrong one.
  ///
  /// - Parameter head: its first bytes.
  private mutating func offset(of head: [UInt8], _ packet: UnsafeMutablePointer<AVPacket>) -> Int64 {
    guard let next else { return max(0, packet.pointee.pos) }
    if window.bytes(at: next, count: head.count) == head { return next }
    let bytes = file.bytes(at: next, count: Self.reach)
    let index = bytes.indices.first { bytes[$0] == head.first && bytes[$0...].starts(with: head) }
    return index.map { next + Int64($0) } ?? max(next, packet.pointee.pos)
  }

  private func has(_ mark: String, at offset: Int64) -> Bool {
    file.bytes(at: offset, count: mark.utf8.count).elementsEqual(mark.utf8)
  }

  /// No packet begins with zeros.
  private func isPadding(at offset: Int64) -> Bool {
    file.bytes(at: offset, count: Int(min(end - offset, 64))).allSatisfy { $0 == 0 }
  }
}

extension RawFrames {
  /// The format of a file of a few packets. libavformat asks for more of them.
  static func format(ofShort file: RegularFile) -> UnsafePointer<AVInputFormat>? {
    guard file.contentEnd <= 65_536 else { return nil }
    let bytes = file.bytes(at: 0, count: Int(file.contentEnd))
    guard let first = head(bytes) else { return nil }
    var rest = bytes[...]
    while let (name, size) = head(rest), name == first.name, size <= rest.count { rest = rest.dropFirst(size) }
    let isWhole = rest.isEmpty || rest.count < bytes.count && head(rest)?.name == first.name
    return isWhole ? av_find_input_format(first.name) : nil
  }

  /// The bits per second of AC-3, in thousands.
  private static let rates = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]

  /// The format of a packet, and its bytes.
  private static func head(_ bytes: some Sequence<UInt8>) -> (name: String, size: Int)? {
    let head = Array(bytes.prefix(7).map(Int.init))
    guard head.count == 7 else { return nil }
    if head[0] == 0xFF, head[1] & 0xF6 == 0xF0 {
      let size = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
      return 7 < size ? ("aac", size) : nil
    }
    guard head[0] == 0x0B, head[1] == 0x77 else { return nil }
    if 10 < head[5] >> 3 { return ("eac3", 2 * ((head[2] & 7) << 8 | head[3]) + 2) }
    guard head[4] & 63 < 38, case let rate = rates[(head[4] & 63) >> 1] else { return nil }
    switch head[4] >> 6 {
    case 0: return ("ac3", 4 * rate)
    case 1: return ("ac3", 2 * (rate * 320 / 147 + (head[4] & 1)))
    case 2: return ("ac3", 6 * rate)
    default: return nil
    }
  }
}
