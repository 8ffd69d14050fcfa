package import Engine
internal import Glibc
package import Signal

/// Encodes a sound as a stream of bytes, which arrive while it is written.
///
/// Used by one thread at a time.
package final class StreamEncoder {
  /// Frames that are encoded at a time.
  private static let batch = 8_192
  private let stream: ByteStream
  private let encoder: Writer
  private var batch: EncoderBatch

  private enum Writer {
    case encoder(Encoder)
    case flac(OggFLACWriter)
  }

  /// - Parameters:
  ///   - name: that of the output, for messages. Its extension chooses the format, as that of a file; `.flac` is Ogg FLAC
  ///     with 16 bits.
  ///   - compression: nil for 96 kbit/s in Opus, a constant bit rate of 128 kbit/s in MP3, and quality 4 in Vorbis.
  /// - Throws: `unsupported` for a compression that the format doesn't support.
  package init(
    _ name: String, _ compression: Compression?, tags: FileTags, at rate: SampleRate
  ) throws(SinkError) {
    let format = try OutputFormat(path: name, encoding: nil, compression: compression)
    let stream = ByteStream(path: name)
    self.stream = stream
    if case .flac = format {
      encoder = .flac(try OggFLACWriter(stream, tags, rate: rate.hertz))
      batch = EncoderBatch(encoding: .s16, capacity: Self.batch)
      return
    }
    let standard: Compression? = [.opus: .bitrate(96_000), .mp3: .bitrate(128_000)][format]
    var details = FileDetails(tags: tags, compression: compression ?? standard)
    details.oggSerial = .random(in: 0 ... .max)
    encoder = .encoder(
      try Encoder(
        into: { () throws(SinkError) in stream }, path: name, format: format, rate: rate, details: details,
        expectedFrames: nil))
    batch = EncoderBatch(capacity: Self.batch)
  }

  package func write(_ frames: UnsafeBufferPointer<Frame>) throws(SinkError) {
    var rest = frames
    while !rest.isEmpty {
      rest = UnsafeBufferPointer(rebasing: rest[batch.take(rest)...])
      if batch.isFull { try flush() }
    }
  }

  /// Encodes what is left. Nothing is written afterwards.
  package func finish() throws(SinkError) {
    if !batch.isEmpty { try flush() }
    switch encoder {
    case .encoder(let encoder): try encoder.complete()
    case .flac(let writer): try writer.close()
    }
  }

  /// The bytes since the last call.
  package func takeBytes() -> [UInt8] { stream.take() }

  private func flush() throws(SinkError) {
    switch encoder {
    case .encoder(let encoder): try encoder.write(batch)
    case .flac(let writer): try writer.write(batch.encoded)
    }
    batch = batch.emptied
  }
}

/// Bytes that are on their way: nothing can be read or replaced.
final class ByteStream: ByteSink {
  let path: String
  let canReplace = false
  let failure: Int32? = nil
  private(set) var position: Int64 = 0
  private(set) var length: Int64 = 0
  private var bytes: [UInt8] = []

  init(path: String) { self.path = path }

  /// Drops what would replace older bytes.
  func write(_ new: UnsafeRawBufferPointer) {
    if position == length {
      bytes.append(contentsOf: new)
      length += Int64(new.count)
    }
    position += Int64(new.count)
  }

  func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let target = offset + (whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : length)
    if target < 0 { return -1 }
    position = target
    return position
  }

  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int { 0 }
  func publish() {}
  func discard() { bytes = [] }

  /// Removes and returns the bytes so far.
  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}
