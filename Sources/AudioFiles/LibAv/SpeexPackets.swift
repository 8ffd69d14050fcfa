/// Completes the last packet of Speex, which has fewer frames than the others. libavcodec would decode none of them.
///
/// The sizes in bits are those of the reference decoder (`modes.c`, `speex_callbacks.c`).
struct SpeexPackets {
  /// The number of frames in each packet but the last.
  private let count: Int

  /// Bits of a frame, its mode included.
  private static let narrow = [5, 43, 119, 160, 220, 300, 364, 492, 79]
  /// Bits of the upper band of a frame.
  private static let wide = [4, 36, 112, 192, 352]
  private static let (user, request) = (13, 14)

  /// - Parameter head: the header of the stream.
  /// - Returns: nil if it is not a header of Speex, or if each packet has one frame.
  init?(head: UnsafeBufferPointer<UInt8>) {
    guard head.count == 80, head.starts(with: "Speex   ".utf8) else { return nil }
    count = Int(Array(head[64..<68])[...].number(.little))
    guard 2...10 ~= count else { return nil }
  }

  /// The packet, with silent frames after its last one if it has too few.
  func completed(_ packet: [UInt8]) -> [UInt8] {
    var bits = BitReader(packet)
    var (frames, end) = (0, 0)
    while frames < count, let frame = Self.skipOne(&bits) {
      if frame { frames += 1 }
      end = bits.position
    }
    guard 0 < frames, frames < count else { return packet }
    var bytes = Array(packet.prefix((end + 7) / 8))
    if !end.isMultiple(of: 8) { bytes[end / 8] &= ~(0xff >> UInt8(end % 8)) }
    // A silent frame is five zeros. The decoder looks for an upper band after the last one.
    return bytes + Array(repeating: 0, count: (count - frames) * 5 / 8 + 2)
  }

  /// Skips a frame with its upper bands, or a message.
  ///
  /// - Returns: true for a frame, false for a message; nil at the end, and for anything else.
  private static func skipOne(_ bits: inout BitReader) -> Bool? {
    guard bits.next(1) == 0, let mode = bits.next(4) else { return nil }
    if mode == user || mode == request {
      guard let kind = bits.next(4) else { return nil }
      return bits.skip(mode == user ? 5 + 8 * kind : messageLength(kind)) ? false : nil
    }
    guard mode < narrow.count, bits.skip(narrow[mode] - 5) else { return nil }
    while bits.peek(1) == 1 {
      guard let mode = bits.next(4).map({ $0 & 7 }), mode < wide.count, bits.skip(wide[mode] - 4) else { return nil }
    }
    return true
  }

  /// The bits of a message of a kind. Kind 9 is the balance of a stereo sound.
  private static func messageLength(_ kind: Int) -> Int {
    switch kind {
    case ..<2: 1
    case ..<8: 4
    case ..<10: 8
    case ..<12: 16
    case ..<14: 32
    default: 64
    }
  }
}

/// Reads bits, the highest of each byte first.
private struct BitReader {
  private let bytes: [UInt8]
  /// The number of bits that have been read.
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next bits as a number; nil if fewer are left.
  func peek(_ count: Int) -> Int? {
    guard position + count <= bytes.count * 8 else { return nil }
    return (position..<position + count).reduce(0) { $0 << 1 | Int(bytes[$1 / 8] >> UInt8(7 - $1 % 8) & 1) }
  }

  mutating func next(_ count: Int) -> Int? {
    let bits = peek(count)
    if bits != nil { position += count }
    return bits
  }

  /// Returns false if fewer bits are left.
  mutating func skip(_ count: Int) -> Bool {
    guard position + count <= bytes.count * 8 else { return false }
    position += count
    return true
  }
}
