import Engine
import Glibc
import Signal

/// Writes WAV files: plain ones, which every program reads. Where the length was not known to be small, they become RF64
/// when they grow beyond 4 GiB.
final class WaveWriter: SampleWriter {
  private let file: OutputFile
  private let header: WaveHeader
  private var dataBytes: Int64 = 0
  private var steps16: [Int16] = []
  private var steps24: [Int32] = []
  private var packed: [UInt8] = []

  init(_ file: OutputFile, _ header: WaveHeader) {
    self.file = file
    self.header = header
    emit(header.bytes(dataBytes: 0))
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SinkError) {
    switch header.encoding {
    case .s16:
      Quantising.to16(samples, &steps16)
      steps16.withUnsafeBytes { file.write($0) }
    case .s24:
      Quantising.to24(samples, &steps24)
      pack()
      packed.withUnsafeBytes { file.write($0) }
    case .f32: file.write(UnsafeRawBufferPointer(samples))
    }
    dataBytes += Int64(samples.count * header.encoding.bytesPerSample)
    try check()
    guard !header.hasRoom, header.isExceeded(by: dataBytes) else { return }
    let cause = "the sound is longer than was foretold, and its WAV file ends at 4 GiB; write .flac or .caf"
    throw .cannotWrite(path: file.path, cause: cause)
  }

  func close() throws(SinkError) {
    _ = file.seek(0, SEEK_SET)
    emit(header.bytes(dataBytes: dataBytes))
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
}
