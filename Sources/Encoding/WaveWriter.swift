import Engine
import Signal

/// Writes WAV files, with the plain header if possible. If the header has the extra chunk, a file that exceeds 4 GiB
/// becomes an RF64 file.
final class WaveWriter: ByteWriter {
  private let file: any ByteSink
  private let header: WaveHeader
  /// The chunks that follow the samples.
  private let trailer: [UInt8]
  private var dataBytes: Int64 = 0

  /// - Parameter trailer: chunks that follow the samples, as many bytes as the header expects.
  init(_ file: any ByteSink, _ header: WaveHeader, trailer: [UInt8] = []) {
    self.file = file
    self.header = header
    self.trailer = trailer
    file.write(header.bytes(dataBytes: file.canReplace ? 0 : nil))
  }

  func write(_ bytes: ArraySlice<UInt8>) throws(SinkError) {
    bytes.withUnsafeBytes { file.write($0) }
    dataBytes += Int64(bytes.count)
    try file.check()
    guard file.canReplace, !header.hasRoom, header.isExceeded(by: dataBytes) else { return }
    let cause = "the sound is longer than expected, and its WAV file can't exceed 4 GiB; choose .flac or .caf"
    throw .cannotWrite(path: file.path, cause: cause)
  }

  /// Writes the chunks that follow the samples, and replaces the header by one with the final sizes. In a stream nothing
  /// may follow the samples, because their length is unknown.
  func close(_: [Chapter] = []) throws(SinkError) {
    if file.canReplace { file.write(trailer) }
    file.replaceBeginning(by: header.bytes(dataBytes: dataBytes))
    try file.check()
  }
}
