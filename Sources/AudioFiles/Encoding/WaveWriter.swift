import Engine
import Glibc
import Signal

/// Writes WAV files: plain ones, which every program reads, that become RF64 when they grow beyond 4 GiB.
///
/// Room for RF64's sizes is kept in a chunk that readers skip, as EBU Tech 3306 recommends.
final class WaveWriter: SampleWriter {
  private let file: OutputFile
  private let rate: Int
  private let encoding: SampleEncoding
  private var dataBytes: Int64 = 0
  private var steps16: [Int16] = []
  private var steps24: [Int32] = []
  private var packed: [UInt8] = []

  init(_ file: OutputFile, rate: Int, _ encoding: SampleEncoding) {
    self.file = file
    self.rate = rate
    self.encoding = encoding
    emit(header())
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SinkError) {
    switch encoding {
    case .s16:
      Quantising.to16(samples, &steps16)
      steps16.withUnsafeBytes { file.write($0) }
    case .s24:
      Quantising.to24(samples, &steps24)
      pack()
      packed.withUnsafeBytes { file.write($0) }
    case .f32: file.write(UnsafeRawBufferPointer(samples))
    }
    dataBytes += Int64(samples.count * encoding.bytesPerSample)
    try check()
  }

  func close() throws(SinkError) {
    _ = file.seek(0, SEEK_SET)
    emit(header())
    try check()
  }

  private func check() throws(SinkError) {
    if let failure = file.failure { throw .cannotWrite(path: file.path, cause: systemMessage(failure)) }
  }

  private func emit(_ bytes: [UInt8]) { bytes.withUnsafeBytes { file.write($0) } }

  /// The lower three bytes of each step.
  private func pack() {
    if packed.count != 3 * steps24.count { packed = Array(repeating: 0, count: 3 * steps24.count) }
    packed.withUnsafeMutableBufferPointer { packed in
      for index in 0..<steps24.count {
        let step = UInt32(bitPattern: steps24[index])
        packed[3 * index] = UInt8(truncatingIfNeeded: step >> 8)
        packed[3 * index + 1] = UInt8(truncatingIfNeeded: step >> 16)
        packed[3 * index + 2] = UInt8(truncatingIfNeeded: step >> 24)
      }
    }
  }

  private func header() -> [UInt8] {
    let block = 2 * encoding.bytesPerSample
    let isFloat = encoding == .f32
    let format = [word16(isFloat ? 3 : 1), word16(2), word32(rate), word32(rate * block), word16(block)].flatMap { $0 }
    let body =
      chunk("fmt ", format + word16(8 * encoding.bytesPerSample) + (isFloat ? word16(0) : []))
      + (isFloat ? chunk("fact", word32(min(Int(dataBytes) / block, 0xFFFF_FFFF))) : [])
    let riffSize = dataBytes + Int64(4 + 36 + body.count + 8)
    let isLong = riffSize > 0xFFFF_FFFF
    let sizes = word64(riffSize) + word64(dataBytes) + word64(dataBytes / Int64(block)) + word32(0)
    return Array((isLong ? "RF64" : "RIFF").utf8) + word32(isLong ? 0xFFFF_FFFF : Int(riffSize)) + Array("WAVE".utf8)
      + chunk(isLong ? "ds64" : "JUNK", isLong ? sizes : Array(repeating: 0, count: 28))
      + body + Array("data".utf8) + word32(isLong ? 0xFFFF_FFFF : Int(dataBytes))
  }
}

private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] { Array(name.utf8) + word32(body.count) + body }
private func word16(_ value: Int) -> [UInt8] { littleEndian(UInt16(truncatingIfNeeded: value)) }
private func word32(_ value: Int) -> [UInt8] { littleEndian(UInt32(truncatingIfNeeded: value)) }
private func word64(_ value: Int64) -> [UInt8] { littleEndian(UInt64(bitPattern: value)) }

private func littleEndian(_ word: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: word.littleEndian) { Array($0) }
}
