package import Engine
package import Signal

/// Writes a render to a file, as fast as it is rendered. Encoding and disk access run on a thread of their own, in parallel
/// with the render; FLAC is encoded on further threads.
///
/// The file has a temporary name until `finish`. Until then, an older file with the final name is not changed.
package final class FileSink: Sink {
  package let pace = Pace.players
  private let path: String
  private let format: OutputFormat
  private let details: FileDetails
  /// The maximum length of the whole sound in frames; nil if it is not known.
  private let expectedFrames: FrameCount?
  private let batches: BatchThread<Encoder>

  /// - Parameters:
  ///   - compression: nil for the format's default.
  ///   - chapters: are read at the end; nil for none. Only MP3, FLAC, Ogg Vorbis and Opus files have chapters.
  ///   - expectedFrames: the maximum length of the sound in frames; nil if it is not known. A WAV file that will
  ///     certainly be smaller than 4 GiB gets the plain header of 44 bytes, which every program can read; it can't
  ///     exceed that size then.
  ///   - jobs: the maximum number of threads that encode at the same time, at least 1. Only FLAC uses more than one. It
  ///     has no effect on the bytes of the file.
  /// - Throws: `unsupported` for an unknown extension, or for an encoding or a compression that the format doesn't
  ///   support; `noThread` if the system can't create the thread.
  package init(
    path: String, encoding: SampleEncoding? = nil, compression: Compression? = nil, tags: FileTags = FileTags(),
    chapters: ChapterList? = nil, expectedFrames: FrameCount? = nil, jobs: Int = 1, delivery: Delivery = Delivery()
  ) throws(SinkError) {
    format = try OutputFormat(path: path, encoding: encoding, compression: compression)
    self.path = path
    var details = FileDetails(tags: tags, chapters: chapters, compression: compression, jobs: max(1, jobs))
    details.channels = delivery.channels ?? 2
    details.rate = delivery.sampleRate
    if let rate = delivery.sampleRate { _ = try details.rate(of: format, for: rate, path: path) }
    self.details = details
    self.expectedFrames = expectedFrames
    batches = try BatchThread()
  }

  /// The number of frames that `write` has received, because a file has no listener.
  package var heard: FrameCount { batches.count }

  /// Creates the temporary file.
  package func start(at rate: SampleRate) throws(SinkError) {
    let encoding = details.directEncoding(of: format, at: rate.hertz)
    try batches.start(EncoderBatch(encoding: encoding, capacity: format.batchFrames)) { () throws(SinkError) in
      try Encoder(
        into: { () throws(SinkError) in try OutputFile(path: path) }, path: path, format: format, rate: rate,
        details: details, expectedFrames: expectedFrames)
    }
  }

  /// Writes a block. May wait until an earlier one has been written.
  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) { try batches.write(block) }

  /// Completes the file, flushes it to the disk and gives it its final name.
  package func finish() throws(SinkError) {
    try complete()
    try publish()
  }

  /// Completes the file, which then can be read at `unfinishedPath`.
  func complete() throws(SinkError) {
    try batches.perform { (encoder) throws(SinkError) in try encoder.complete() }
  }

  /// Whether the decoded file has the samples that were encoded.
  var isLossless: Bool { !format.isLossy && details.rate == nil }

  /// The path of the file until it has its name.
  var unfinishedPath: String { batches.read(\.unfinishedPath) ?? path }

  /// Flushes a complete file to the disk, and gives it its final name.
  func publish() throws(SinkError) {
    try batches.finish { (encoder) throws(SinkError) in try encoder.publish() }
  }

  /// Removes the temporary file.
  package func abandon() { batches.abandon() }
}
