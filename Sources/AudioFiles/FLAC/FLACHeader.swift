import Sounds

/// The header of a FLAC frame.
package struct FLACHeader {
  /// The first frame of sound in it.
  var start: Int64
  /// The number of frames of sound in it.
  var count: Int

  /// The frame of sound after the last one.
  var end: Int64 { start + Int64(count) }

  /// The maximum number of bytes of a header.
  static let largest = 16

  /// Returns nil if the bytes are not a header of the given stream, or if its checksum doesn't match.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, of stream: FLACStreamInfo) {
    guard bytes.count >= 6, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xF8, bytes[3] & 1 == 0 else { return nil }
    let channels = Int(bytes[3] >> 4)
    guard (channels < 8 ? channels + 1 : channels < 11 ? 2 : 0) == stream.channels else { return nil }
    guard let layout = Self.layout(bytes), let (number, _) = Self.number(bytes[4...]) else { return nil }
    let (sizeCode, rateCode) = (bytes[2] >> 4, bytes[2] & 15)
    guard sizeCode != 0, rateCode != 15, layout.checksum < bytes.count,
      FLACChecksums.header(bytes[..<layout.checksum]) == bytes[layout.checksum]
    else { return nil }
    count = Self.count(sizeCode, bytes[layout.numberEnd..<layout.sizeEnd])
    let isVariable = bytes[1] & 1 == 1
    guard count <= stream.largestBlock, isVariable || number < 1 << 31 else { return nil }
    start = isVariable ? number : number * Int64(stream.largestBlock)
  }

  /// The byte after the frame's number, the byte after its size, and the byte of its checksum; nil if the number is not
  /// valid. The bytes may end before them.
  package static func layout(_ bytes: UnsafeBufferPointer<UInt8>) -> (numberEnd: Int, sizeEnd: Int, checksum: Int)? {
    guard bytes.count > 4, let (_, length) = number(bytes[4...]) else { return nil }
    let (sizeCode, rateCode) = (bytes[2] >> 4, bytes[2] & 15)
    let sizeBytes = sizeCode == 6 ? 1 : sizeCode == 7 ? 2 : 0
    let rateBytes = rateCode == 12 ? 1 : rateCode == 13 || rateCode == 14 ? 2 : 0
    return (4 + length, 4 + length + sizeBytes, 4 + length + sizeBytes + rateBytes)
  }

  /// The number of frames for a size code. For some codes, the number is in extra bytes.
  private static func count(_ code: UInt8, _ extra: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    switch code {
    case 1: 192
    case 2...5: 576 << (code - 2)
    case 6, 7: extra.reduce(0) { $0 << 8 | Int($1) } + 1
    default: 256 << (code - 8)
    }
  }

  /// A number in the encoding of UTF-8, extended to seven bytes, and the number of its bytes.
  private static func number(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (Int64, Int)? {
    guard let first = bytes.first else { return nil }
    let ones = (~first).leadingZeroBitCount
    guard ones != 1, ones < 8 else { return nil }
    let length = max(1, ones)
    guard bytes.count >= length else { return nil }
    var number = ones == 0 ? Int64(first) : Int64(first) & (0x7F >> Int64(ones))
    for byte in bytes.dropFirst().prefix(length - 1) {
      guard byte & 0xC0 == 0x80 else { return nil }
      number = number << 6 | Int64(byte & 0x3F)
    }
    return (number, length)
  }
}

/// What the STREAMINFO block of a FLAC file states.
struct FLACStreamInfo {
  /// In hertz.
  var rate: Int
  var channels: Int
  /// Bits per sample.
  var bits: Int
  /// The maximum number of frames of sound per FLAC frame.
  var largestBlock: Int
  /// The number of frames of sound in the file; nil if it is not stated.
  var total: Int64?
  /// The byte at which the first FLAC frame begins.
  var firstFrame: Int64
  /// The maximum number of bytes of a FLAC frame: that of a frame with uncompressed samples.
  var largestFrame: Int64
  /// The signature and the STREAMINFO block, marked as the last one: what a decoder needs before the first frame.
  let head: [UInt8]
  private(set) var tags = SoundTags()

  /// The type of a block of comments.
  private static let comments: UInt8 = 4

  /// Returns nil if the file is not a FLAC file.
  init?(_ file: RegularFile) {
    let mark = file.bytes(at: 0, count: 42)
    guard mark.count == 42, mark.starts(with: "fLaC".utf8), mark[4] & 0x7F == 0, mark[5..<8] == [0, 0, 34] else {
      return nil
    }
    head = mark[..<4] + [0x80] + mark[5...]
    let info = mark[8...].reduce(into: [UInt8]()) { $0.append($1) }
    largestBlock = Int(info[2]) << 8 | Int(info[3])
    channels = Int(info[12] >> 1 & 7) + 1
    rate = Int(info[10]) << 12 | Int(info[11]) << 4 | Int(info[12] >> 4)
    bits = Int(info[12] & 1) << 4 | Int(info[13] >> 4) + 1
    let frames = info[14..<18].reduce(Int64(info[13] & 15)) { $0 << 8 | Int64($1) }
    total = frames > 0 ? frames : nil
    largestFrame = Int64(largestBlock * channels * (bits + 1) / 8 + 16 * channels + 64)
    guard largestBlock > 0 else { return nil }
    var offset: Int64 = 4
    // The number of metadata blocks is limited, because a damaged file can make a very long chain.
    for _ in 0..<10_000 {
      let head = file.bytes(at: offset, count: 4)
      guard head.count == 4 else { return nil }
      if head[0] & 0x7F == Self.comments { tags.takeComments(of: file, at: offset + 4) }
      offset += 4 + head[1...].reduce(0) { $0 << 8 | Int64($1) }
      if head[0] & 0x80 != 0 {
        firstFrame = offset
        return
      }
    }
    return nil
  }
}
