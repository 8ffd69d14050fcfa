import Signal

/// The bytes of a WAV file before its samples.
///
/// A file that may grow beyond 4 GiB keeps room for RF64's sizes in a chunk that readers skip, as EBU Tech 3306
/// recommends. One that surely ends before has the bare header that every reader knows: 44 bytes, 58 for floats.
struct WaveHeader {
  /// The largest size that a plain WAV file can tell.
  static let plainLimit: Int64 = 0xFFFF_FFFF

  let rate: Int
  let encoding: SampleEncoding
  /// Whether the file can become RF64.
  let hasRoom: Bool
  private let limit: Int64

  /// - Parameters:
  ///   - expectedFrames: of the whole file, nil when nobody knows.
  ///   - limit: of the size that the header tells; tests lower it.
  init(rate: Int, encoding: SampleEncoding, expectedFrames: FrameCount?, limit: Int64 = plainLimit) {
    self.rate = rate
    self.encoding = encoding
    self.limit = limit
    // Divided, for an endless length times the size of a frame would be no number.
    let mostFrames = max(0, limit - Self.sizeBesidesData(encoding)) / Int64(encoding.bytesPerFrame)
    hasRoom = expectedFrames.map { mostFrames < $0 } ?? true
  }

  /// Whether a plain header can't tell the size of so many bytes of samples.
  func isExceeded(by dataBytes: Int64) -> Bool { limit < riffSize(dataBytes) }

  func bytes(dataBytes: Int64) -> [UInt8] {
    let isLong = hasRoom && isExceeded(by: dataBytes)
    return Array((isLong ? "RF64" : "RIFF").utf8) + word32(isLong ? 0xFFFF_FFFF : Int(riffSize(dataBytes)))
      + Array("WAVE".utf8) + (hasRoom ? room(isLong, dataBytes) : []) + format + fact(dataBytes)
      + Array("data".utf8) + word32(isLong ? 0xFFFF_FFFF : Int(dataBytes))
  }

  /// What the header calls the file's size: all but the first 8 bytes.
  private func riffSize(_ dataBytes: Int64) -> Int64 {
    dataBytes + Self.sizeBesidesData(encoding) + (hasRoom ? 36 : 0)
  }

  private static func sizeBesidesData(_ encoding: SampleEncoding) -> Int64 { encoding == .f32 ? 50 : 36 }

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

  /// Every format but whole numbers tells its length in frames once more.
  private func fact(_ dataBytes: Int64) -> [UInt8] {
    guard encoding == .f32 else { return [] }
    return chunk("fact", word32(min(Int(dataBytes) / encoding.bytesPerFrame, 0xFFFF_FFFF)))
  }
}

private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] { Array(name.utf8) + word32(body.count) + body }
private func word16(_ value: Int) -> [UInt8] { littleEndian(UInt16(truncatingIfNeeded: value)) }
private func word32(_ value: Int) -> [UInt8] { littleEndian(UInt32(truncatingIfNeeded: value)) }
private func word64(_ value: Int64) -> [UInt8] { littleEndian(UInt64(bitPattern: value)) }

private func littleEndian(_ word: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: word.littleEndian) { Array($0) }
}
