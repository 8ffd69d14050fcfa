import AudioFiles
import Engine
import Signal

/// The connection that carries the sound to a source of a Snapcast server.
final class SnapcastConnection: NetworkConnection {
  /// Seconds of silence before the sound. The server reads in real time, so they stay in between, and what comes a little
  /// late is still in time.
  private static let cushion = 0.3
  /// Seconds for which the server may take nothing. Longer, and the sound would be late from then on.
  private static let patience = 1.0

  private let connection: TCPConnection
  private let format: SampleFormat
  /// Nil if the source has the session's rate.
  private let resampler: Resampler?
  private var resampled = [Frame](repeating: .silence, count: 8_192)
  /// Bytes of a chunk: the server takes whole ones only.
  private let chunk: Int
  private let name: String
  private var sent = 0

  /// - Parameters:
  ///   - chunk: milliseconds.
  ///   - name: that of the output, for messages.
  init(
    to host: String, _ port: UInt16, _ format: SampleFormat, chunk: Int, from rate: SampleRate, named name: String
  ) throws(SinkError) {
    (self.format, self.name) = (format, name)
    self.chunk = max(1, format.rate * chunk / 1_000) * format.bytesPerFrame
    resampler = try Self.resampler(from: rate.hertz, to: format.rate, named: name)
    // The system doubles this quarter of a second.
    let buffered = format.rate * format.bytesPerFrame / 4
    do throws(TCPConnection.Failure) {
      connection = try TCPConnection(to: host, port, within: 2, buffering: buffered)
    } catch { throw .unreachable(output: name, cause: error.cause) }
    try send([UInt8](repeating: 0, count: Int(Self.cushion * Double(format.rate)) * format.bytesPerFrame))
  }

  private static func resampler(from source: Int, to target: Int, named name: String) throws(SinkError) -> Resampler? {
    if source == target { return nil }
    if let failure = CodecLibrary.libsoxr.failure { throw .refused(output: name, cause: "\(failure)") }
    if let resampler = Resampler(from: source, to: target, channels: 2) { return resampler }
    throw .refused(
      output: name, cause: "the rate can't be converted from \(source) to \(target) Hz; choose another format")
  }

  func write(_ frames: [Frame]) throws(SinkError) {
    if connection.isClosed { throw .unreachable(output: name, cause: "it has closed the connection") }
    try convert(frames)
  }

  func setTitle(_ title: String) {}

  /// What is in the filter of the resampler is sent, and the last chunk is filled.
  func finish() {
    let tail = [Frame](repeating: .silence, count: resampler == nil ? 0 : 4_096)
    try? convert(tail)
    let rest = sent % chunk
    if 0 < rest { try? send([UInt8](repeating: 0, count: chunk - rest)) }
    connection.finish()
  }

  func abandon() { connection.reset() }

  /// Sends frames at the source's rate.
  private func convert(_ frames: [Frame]) throws(SinkError) {
    guard let resampler else { return try send(format.bytes(frames)) }
    var used = 0
    while used < frames.count {
      let progress = frames.withUnsafeBytes { input in
        resampled.withUnsafeMutableBytes { output in
          output.bindMemory(to: Float.self).baseAddress.map { target in
            resampler.process(
              input.bindMemory(to: Float.self).baseAddress.map { $0 + 2 * used }, frames: frames.count - used,
              into: target, capacity: output.count / MemoryLayout<Frame>.stride)
          }
        }
      }
      // A resampler that neither consumes nor produces has failed, and would fail again.
      guard let progress, 0 < progress.used + progress.made else { return }
      used += progress.used
      try send(format.bytes(resampled[..<progress.made]))
    }
  }

  private func send(_ bytes: [UInt8]) throws(SinkError) {
    do throws(TCPConnection.Failure) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(TCPConnection.Failure) in
        try connection.send(UnsafeRawBufferPointer(bytes), within: Self.patience)
      }
      sent += bytes.count
    } catch { throw .unreachable(output: name, cause: error.cause) }
  }
}
