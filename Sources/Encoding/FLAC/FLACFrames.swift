import AudioFiles

/// Encoded FLAC frames of one piece, which are numbered as a part of the whole stream.
struct FLACFrames: Sendable {
  /// The frames, one after the other.
  private(set) var bytes: [UInt8] = []
  /// Bytes of the smallest and the largest frame; nil if there is none.
  private(set) var sizes: ClosedRange<Int>?

  /// Removes all frames and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    sizes = nil
  }

  /// Adds a complete frame of libFLAC with another number.
  ///
  /// The number is part of the header, so both checksums change. That of the whole frame is corrected instead of
  /// calculated again, because only the header has changed: a CRC is linear.
  ///
  /// - Returns: false if the frame is incomplete.
  mutating func append(_ frame: UnsafeBufferPointer<UInt8>, number: Int64) -> Bool {
    guard let old = FLACHeader.layout(frame), old.checksum + 3 <= frame.count else { return false }
    var header = Array(frame[..<4]) + Self.coded(number) + frame[old.numberEnd..<old.checksum]
    header.append(FLACChecksums.header(header))
    let body = frame[(old.checksum + 1)..<(frame.count - 2)]
    let change = FLACChecksums.frame(frame[...old.checksum]) ^ FLACChecksums.frame(header)
    let oldSum = UInt16(frame[frame.count - 2]) << 8 | UInt16(frame[frame.count - 1])
    let sum = oldSum ^ FLACChecksums.frame(change, followedByZeros: body.count)
    bytes.append(contentsOf: header)
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: body))
    bytes.append(UInt8(sum >> 8))
    bytes.append(UInt8(sum & 0xFF))
    let size = header.count + body.count + 2
    sizes = min(sizes?.lowerBound ?? size, size)...max(sizes?.upperBound ?? size, size)
    return true
  }

  /// A number of up to 36 bits in the encoding of UTF-8, extended to seven bytes.
  static func coded(_ number: Int64) -> [UInt8] {
    if number < 0x80 { return [UInt8(number)] }
    // A sequence with that many bytes after the first one has room for 11, 16, 21, 26, 31 or 36 bits.
    let more: Int = (1..<6).first { number >> (5 * $0 + 6) == 0 } ?? 6
    let mark = UInt8(truncatingIfNeeded: 0xFF00 >> (more + 1))
    var bytes = [mark | UInt8(truncatingIfNeeded: number >> (6 * more))]
    for index in (0..<more).reversed() { bytes.append(0x80 | UInt8(number >> (6 * index) & 0x3F)) }
    return bytes
  }
}
