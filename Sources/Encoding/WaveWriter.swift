import Engine
import Glibc
import Signal

/// Writes WAV files, with the plain header if possible. If the header has the extra chunk, a file that exceeds 4 GiB
/// becomes an RF64 file.
final class WaveWriter: ByteWriter {
  private let file: OutputFile
  private let header: WaveHeader
  /// The chunks that follow the samples.
  private let trailer: [UInt8]
  private var dataBytes: Int64 = 0

  /// - Parameter trailer: chunks that follow the samples, as many bytes as the header expects.
  init(_ file: OutputFile, _ header: WaveHeader, trailer: [UInt8] = []) {
    self.file = file
    self.header = header
    self.trailer = trailer
    emit(header.bytes(dataBytes: 0))
  }

  func write(_ bytes: ArraySlice<UInt8>) throws(SinkError) {
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
