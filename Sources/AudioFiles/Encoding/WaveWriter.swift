import Engine
import Glibc
import Signal

/// Writes WAV files, with the plain header if possible. If the header has the extra chunk, a file that exceeds 4 GiB
/// becomes an RF64 file.
final class WaveWriter: SampleWriter {
  private let file: OutputFile
  private let header: WaveHeader
  /// The chunks that follow the samples.
  private let trailer: [UInt8]
  private var dataBytes: Int64 = 0
  /// The encoded samples of one write; reused by the next one.
  private var bytes: [UInt8] = []

  /// - Parameter trailer: chunks that follow the samples, as many bytes as the header expects.
  init(_ file: OutputFile, _ header: WaveHeader, trailer: [UInt8] = []) {
    self.file = file
    self.header = header
    self.trailer = trailer
    emit(header.bytes(dataBytes: 0))
  }

  /// Encodes interleaved stereo samples and writes them.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SinkError) {
    let size = samples.count * header.encoding.bytesPerSample
    if bytes.count != size { bytes = Array(repeating: 0, count: size) }
    bytes.withUnsafeMutableBytes { header.encoding.encode(interleaved: samples, into: $0) }
    try write(encoded: bytes[...])
  }

  func write(encoded bytes: ArraySlice<UInt8>) throws(SinkError) {
    bytes.withUnsafeBytes { file.write($0) }
    dataBytes += Int64(bytes.count)
    try check()
    guard !header.hasRoom, header.isExceeded(by: dataBytes) else { return }
    let cause = "the sound is longer than expected, and its WAV file can't exceed 4 GiB; choose .flac or .caf"
    throw .cannotWrite(path: file.path, cause: cause)
  }

  /// Writes the chunks that follow the samples, and replaces the header by one with the final sizes.
  func close() throws(SinkError) {
    emit(trailer)
    _ = file.seek(0, SEEK_SET)
    emit(header.bytes(dataBytes: dataBytes))
    try check()
  }

  private func check() throws(SinkError) {
    if let failure = file.failure { throw .cannotWrite(path: file.path, cause: systemMessage(failure)) }
  }

  private func emit(_ bytes: [UInt8]) { bytes.withUnsafeBytes { file.write($0) } }
}
