import AudioFiles
import Engine
import Signal

/// Writes one output: converts the sample rate, and encodes the samples into a file or a stream.
///
/// Used by one thread at a time, on the thread of `FileSink`.
final class Encoder: BatchTarget {
  private let file: any ByteSink
  private let writer: Writer
  /// The chapters of the file; nil for none.
  private let chapters: ChapterList?
  /// nil if the file has the session's rate.
  private let resampler: Resampler?
  /// The channels of the file: 1 or 2.
  private let channels: Int
  /// Both channels mixed into one.
  private var mono: [Float] = []
  /// The session's rate and the file's rate in hertz.
  private let ratio: (source: Int, target: Int)
  /// Frames that were written, at the session's rate.
  private var inputCount: Int64 = 0
  /// Frames that the resampler has produced, at the file's rate.
  private var outputCount: Int64 = 0
  /// The output buffer of the resampler, interleaved.
  private var resampled: [Float] = []

  private enum Writer {
    /// Takes batches that are already encoded. The file has the session's rate.
    case bytes(any ByteWriter)
    case samples(SndFileWriter)
  }

  init(
    into open: () throws(SinkError) -> any ByteSink, path: String, format: OutputFormat, rate: SampleRate,
    details: FileDetails, expectedFrames: FrameCount?
  ) throws(SinkError) {
    let target = try details.rate(of: format, for: rate.hertz, path: path)
    resampler = try Self.resampler(from: rate.hertz, to: target, channels: details.channels, for: path)
    file = try open()
    ratio = (rate.hertz, target)
    channels = details.channels
    var details = details
    // Chapters are known only at the end, where nothing can be added to a stream.
    if !file.canReplace { details.chapters = nil }
    chapters = details.chapters
    switch (format, details.directEncoding(of: format, at: rate.hertz)) {
    case (.wave, let encoding?):
      let tags = details.tags.waveChunk
      let header = WaveHeader(
        rate: target, encoding: encoding, expectedFrames: file.canReplace ? expectedFrames : 0, trailing: tags.count)
      writer = .bytes(WaveWriter(file, header, trailer: tags))
    case (.flac, let encoding?):
      let settings = FLACSettings(rate: target, encoding: encoding)
      writer = .bytes(FLACWriter(file, settings, details))
    default: writer = .samples(try SndFileWriter(file, rate: target, format, details))
    }
    if resampler != nil { resampled = Array(repeating: 0, count: 2 * 8_192) }
  }

  /// The converter from one rate to another; nil if they are equal.
  static func resampler(
    from source: Int, to target: Int, channels: Int = 2, for path: String
  ) throws(SinkError) -> Resampler? {
    if source == target { return nil }
    if let failure = CodecLibrary.libsoxr.failure { throw .cannotCreate(path: path, cause: "\(failure)") }
    if let resampler = Resampler(from: source, to: target, channels: channels) { return resampler }
    throw .cannotCreate(
      path: path, cause: "the rate can't be converted from \(source) to \(target) Hz; choose another format")
  }

  /// Frames that are passed to an encoder at a time. Some encoders look ahead as far as they have frames, so the number
  /// must always be the same.
  private static let chunk = 8_192

  /// Encodes frames at the session's rate.
  func write(_ batch: EncoderBatch) throws(SinkError) {
    inputCount += Int64(batch.count)
    switch writer {
    case .bytes(let writer): try writer.write(batch.encoded)
    case .samples(let writer):
      try batch.frames.withUnsafeBufferPointer { (frames) throws(SinkError) in
        let samples = UnsafeRawBufferPointer(frames).bindMemory(to: Float.self)
        for start in stride(from: 0, to: samples.count, by: 2 * Self.chunk) {
          let end = min(start + 2 * Self.chunk, samples.count)
          try encode(UnsafeBufferPointer(rebasing: samples[start..<end]), with: writer)
        }
      }
    }
  }

  /// Writes what is left, and completes the output.
  func complete() throws(SinkError) {
    if case .samples(let writer) = writer, resampler != nil { try drain(into: writer) }
    try close()
    file.flush()
    try file.check()
  }

  /// The path at which the complete output can be read.
  var unfinishedPath: String { file.unfinishedPath }

  /// A file gets its name.
  func publish() throws(SinkError) { try file.publish() }

  /// Drops the unfinished output.
  func abandon() {
    try? close()
    file.discard()
  }

  private func close() throws(SinkError) {
    let chapters = chapters?.chapters(until: inputCount, at: ratio.source) ?? []
    switch writer {
    case .bytes(let writer): try writer.close(chapters)
    case .samples(let writer): try writer.close(chapters)
    }
  }

  /// Writes interleaved stereo samples, mixed into one channel if the file has one.
  private func encode(_ samples: UnsafeBufferPointer<Float>, with writer: SndFileWriter) throws(SinkError) {
    if channels == 2 { return try convert(samples, with: writer) }
    mono.removeAll(keepingCapacity: true)
    for index in stride(from: 0, to: samples.count - 1, by: 2) {
      mono.append((samples[index] + samples[index + 1]) / 2)
    }
    try mono.withUnsafeBufferPointer { (mono) throws(SinkError) in try convert(mono, with: writer) }
  }

  /// Writes interleaved samples of the file's channels, through the resampler if there is one.
  private func convert(_ samples: UnsafeBufferPointer<Float>, with writer: SndFileWriter) throws(SinkError) {
    guard let resampler else { return try writer.write(samples) }
    let count = samples.count / channels
    var used = 0
    while used < count, let base = samples.baseAddress {
      used += try convert(resampler, base + channels * used, count - used, limit: .max, into: writer)
    }
  }

  /// Gets the last frames out of the resampler's filter, by passing silence to it.
  private func drain(into writer: SndFileWriter) throws(SinkError) {
    let length = resampledLength(inputCount, from: ratio.source, to: ratio.target)
    let silence = [Float](repeating: 0, count: 2 * 1_024)
    while let resampler, outputCount < length {
      let limit = length - outputCount
      _ = try silence.withUnsafeBufferPointer { (silence) throws(SinkError) in
        try convert(resampler, silence.baseAddress, 1_024, limit: limit, into: writer)
      }
    }
  }

  /// Resamples and writes up to `limit` frames.
  ///
  /// - Returns: how many input frames were consumed.
  private func convert(
    _ resampler: Resampler, _ input: UnsafePointer<Float>?, _ frames: Int, limit: Int64, into writer: SndFileWriter
  ) throws(SinkError) -> Int {
    try resampled.withUnsafeMutableBufferPointer { (buffer) throws(SinkError) in
      guard let base = buffer.baseAddress else { return frames }
      let capacity = Int(min(limit, Int64(buffer.count / channels)))
      let progress = resampler.process(input, frames: frames, into: base, capacity: capacity)
      outputCount += Int64(progress.made)
      // A resampler that neither consumes input nor produces output has failed, and would fail again.
      if progress.made == 0, progress.used == 0 {
        throw .cannotWrite(path: file.path, cause: "the sample rate can't be converted")
      }
      try writer.write(UnsafeBufferPointer(start: base, count: channels * progress.made))
      return progress.used
    }
  }
}
