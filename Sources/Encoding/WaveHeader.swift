import Signal

/// The bytes of a WAV file before its samples.
///
/// If a file may exceed 4 GiB, its header contains a chunk that readers skip, and that can be replaced by the size
/// chunk of RF64, as EBU Tech 3306 recommends. A file that will certainly be smaller has the plain header that every
/// reader supports: 44 bytes, or 58 for floating-point samples.
struct WaveHeader {
  /// The largest size in bytes that a plain header can state.
  static let plainLimit: Int64 = 0xFFFF_FFFF

  let rate: Int
  let encoding: SampleEncoding
  /// Whether the header contains the extra chunk, so that the file can become an RF64 file.
  let hasRoom: Bool
  /// Bytes of the chunks after the samples.
  private let trailing: Int64
  private let limit: Int64

  /// - Parameters:
  ///   - expectedFrames: the maximum number of frames of the file; nil if it is not known.
  ///   - trailing: bytes of the chunks after the samples.
  ///   - limit: the largest size in bytes that a plain header may state; tests lower it.
  init(rate: Int, encoding: SampleEncoding, expectedFrames: FrameCount?, trailing: Int = 0, limit: Int64 = plainLimit) {
    self.rate = rate
    self.encoding = encoding
    self.limit = limit
    self.trailing = Int64(trailing)
    // Divided instead of multiplied, because an endless length times the bytes per frame would overflow.
    let mostFrames = max(0, limit - Self.sizeBesidesData(encoding) - Int64(trailing)) / Int64(encoding.bytesPerFrame)
    hasRoom = expectedFrames.map { mostFrames < $0 } ?? true
  }

  /// Whether a plain header can't state the size of a file with that many bytes of samples.
  func isExceeded(by dataBytes: Int64) -> Bool { limit < riffSize(dataBytes) }

  /// The header of a file with that many bytes of samples; nil for a stream, whose size is unknown.
  func bytes(dataBytes: Int64?) -> [UInt8] {
    let isLong = hasRoom && dataBytes.map(isExceeded) == true
    let (riff, data) = dataBytes.map { (riffSize($0), $0) } ?? (Self.plainLimit, Self.plainLimit)
    return Array((isLong ? "RF64" : "RIFF").utf8) + word32(isLong ? 0xFFFF_FFFF : Int(riff))
      + Array("WAVE".utf8) + (hasRoom ? room(isLong, data) : []) + format + fact(data)
      + Array("data".utf8) + word32(isLong ? 0xFFFF_FFFF : Int(data))
  }

  /// The size field of the header: all bytes after the first 8.
  private func riffSize(_ dataBytes: Int64) -> Int64 {
    dataBytes + Self.sizeBesidesData(encoding) + (hasRoom ? 36 : 0) + trailing
  }

  /// Bytes of a plain header after the first 8.
  private static func sizeBesidesData(_ encoding: SampleEncoding) -> Int64 { encoding == .f32 ? 50 : 36 }

  /// The extra chunk: empty, or with the sizes for RF64.
  private func room(_ isLong: Bool, _ dataBytes: Int64) -> [UInt8] {
    guard isLong else { return chunk("JUNK", Array(repeating: 0, count: 28)) }
    let frames = dataBytes / Int64(encoding.bytesPerFrame)
    return chunk("ds64", word64(riffSize(dataBytes)) + word64(dataBytes) + word64(frames) + word32(0))
  }

  private var format: [UInt8] {
    let block = encoding.bytesPerFrame
    let isFloat = encoding == .f32
    let words = [word16(isFloat ? 3 : 1), word16(2), word32(rate), word32(rate * block), word16(block)]
    return chunk("fmt ", words.flatMap { $0 } + word16(8 * encoding.bytesPerSample) + (isFloat ? word16(0) : []))
  }

  /// The length in frames, which files with other samples than integers must state in a separate chunk.
  private func fact(_ dataBytes: Int64) -> [UInt8] {
    guard encoding == .f32 else { return [] }
    return chunk("fact", word32(min(Int(dataBytes) / encoding.bytesPerFrame, 0xFFFF_FFFF)))
  }
}

/// A chunk of a RIFF file. Its length must be even, or it must be the last one.
func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] { Array(name.utf8) + word32(body.count) + body }
private func word16(_ value: Int) -> [UInt8] { littleEndian(UInt16(truncatingIfNeeded: value)) }
private func word32(_ value: Int) -> [UInt8] { littleEndian(UInt32(truncatingIfNeeded: value)) }
private func word64(_ value: Int64) -> [UInt8] { littleEndian(UInt64(bitPattern: value)) }

private func littleEndian(_ word: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: word.littleEndian) { Array($0) }
}
