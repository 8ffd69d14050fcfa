import Dispatch
package import Engine
package import Signal
import Synchronization

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

  private let thread: WorkThreads
  /// One batch is encoded and written while the next one is filled.
  private let room = DispatchSemaphore(value: 1)
  /// Used on the thread, and by `start` before anything is queued, so the lock is never contended.
  private let encoder = Mutex<Encoder?>(nil)
  private let state = Mutex(State())
  /// The number of frames that `write` has received.
  private let written = Atomic<FrameCount>(0)

  private struct State {
    /// The batch that is being filled.
    var batch = EncoderBatch()
    /// Empty batches, whose memory is used again.
    var spare: [EncoderBatch] = []
    /// The first error of the thread; the next call throws it.
    var failure: SinkError?

    /// Removes and returns the batch, and starts an empty one.
    mutating func takeBatch() -> EncoderBatch {
      defer { batch = spare.popLast() ?? batch.another }
      return batch
    }
  }

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
    guard let thread = WorkThreads() else { throw .noThread }
    self.thread = thread
  }

  /// The number of frames that `write` has received, because a file has no listener.
  package var heard: FrameCount { written.load(ordering: .relaxed) }

  /// Creates the temporary file.
  package func start(at rate: SampleRate) throws(SinkError) {
    try encoder.withLock { (encoder) throws(SinkError) in
      encoder = try Encoder(
        into: { () throws(SinkError) in try OutputFile(path: path) }, path: path, format: format, rate: rate,
        details: details, expectedFrames: expectedFrames)
    }
    let encoding = details.directEncoding(of: format, at: rate.hertz)
    let batch = EncoderBatch(encoding: encoding, capacity: format.batchFrames)
    state.withLock { $0.batch = batch }
  }

  /// Writes a block. If that completes a batch, waits until the batch before it has been written.
  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    var rest = block
    while !rest.isEmpty {
      let (taken, batch, failure) = state.withLock { state in
        let taken = state.batch.take(rest)
        return (taken, state.batch.isFull ? state.takeBatch() : nil, state.failure)
      }
      if let failure { throw failure }
      if let batch { enqueue(batch) }
      rest = UnsafeBufferPointer(rebasing: rest[taken...])
    }
    written.add(FrameCount(block.count), ordering: .relaxed)
  }

  /// Completes the file, flushes it to the disk and gives it its final name.
  package func finish() throws(SinkError) {
    try complete()
    try publish()
  }

  /// Completes the file, which then can be read at `unfinishedPath`.
  func complete() throws(SinkError) {
    enqueue(state.withLock { $0.takeBatch() })
    thread.sync { [self] in execute { (encoder) throws(SinkError) in try encoder.complete() } }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Whether the decoded file has the samples that were encoded.
  var isLossless: Bool { !format.isLossy && details.rate == nil }

  /// The path of the file until it has its name.
  var unfinishedPath: String { encoder.withLock { $0?.unfinishedPath } ?? path }

  /// Flushes a complete file to the disk, and gives it its final name.
  func publish() throws(SinkError) {
    thread.sync { [self] in
      execute { (encoder) throws(SinkError) in try encoder.publish() }
      encoder.withLock { $0 = nil }
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Removes the temporary file.
  package func abandon() {
    thread.sync { [self] in
      encoder.withLock { encoder in
        encoder?.abandon()
        encoder = nil
      }
    }
  }

  /// Passes a batch to the thread. Waits until the previous one has been written.
  private func enqueue(_ batch: EncoderBatch) {
    if batch.isEmpty { return }
    room.wait()
    thread.async { [self] in
      execute { (encoder) throws(SinkError) in try encoder.write(batch) }
      state.withLock { $0.spare.append(batch.emptied) }
      room.signal()
    }
  }

  /// Executes `work`; called on the thread. After the first error, the file is removed, and later work is skipped.
  private func execute(_ work: @Sendable (Encoder) throws(SinkError) -> Void) {
    guard state.withLock({ $0.failure == nil }) else { return }
    encoder.withLock { encoder in
      guard let encoder else { return }
      do throws(SinkError) { try work(encoder) } catch {
        encoder.abandon()
        state.withLock { $0.failure = error }
      }
    }
  }
}
