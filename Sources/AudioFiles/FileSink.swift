import Dispatch
package import Engine
package import Signal
import Synchronization

/// Writes a render to a file, as fast as it is rendered. Encoding and disk access run on a dispatch queue, in parallel
/// with the render.
///
/// The file has a temporary name until `finish`; an older file with the final name stays untouched until then.
package final class FileSink: Sink {
  package let pace = Pace.players
  private let path: String
  private let format: OutputFormat
  private let title: String?
  /// The most frames of the whole sound; nil if that is not known.
  private let expectedFrames: FrameCount?

  private let queue = DispatchQueue(label: "prosper.encoder", qos: .userInitiated)
  /// Batches that may wait for the encoder: enough to keep it busy without using much memory.
  private let room = DispatchSemaphore(value: 4)
  /// Used on the queue, and by `start` before anything is queued: the lock is never contended.
  private let encoder = Mutex<Encoder?>(nil)
  private let state = Mutex(State())
  /// Frames that were taken.
  private let written = Atomic<FrameCount>(0)

  private struct State {
    /// Frames of the next batch, until it is large enough to be handed over.
    var gathered: [Frame] = []
    /// The first error of the queue; the next call throws it.
    var failure: SinkError?

    /// Removes and returns the frames that are gathered; nil if there are none.
    mutating func takeChunk() -> [Frame]? {
      if gathered.isEmpty { return nil }
      defer { gathered.removeAll(keepingCapacity: true) }
      return gathered
    }
  }

  /// Frames per batch.
  private static let chunk = 8_192

  /// - Parameter expectedFrames: the most frames of the sound. If a WAV file is sure to stay below 4 GiB, it gets the
  ///   plain header of 44 bytes that every program reads, and can't exceed that size. nil leaves room for any length.
  /// - Throws: `unsupported` for an unknown extension, or for an encoding that the format doesn't support.
  package init(
    path: String, encoding: SampleEncoding? = nil, title: String? = nil, expectedFrames: FrameCount? = nil
  ) throws(SinkError) {
    format = try OutputFormat(path: path, encoding: encoding)
    self.path = path
    self.title = title
    self.expectedFrames = expectedFrames
  }

  /// Frames that were taken; a file has no listener.
  package var heard: FrameCount { written.load(ordering: .relaxed) }

  /// Creates the temporary file.
  package func start(at rate: SampleRate) throws(SinkError) {
    try encoder.withLock { (encoder) throws(SinkError) in
      encoder = try Encoder(path: path, format: format, rate: rate, title: title, expectedFrames: expectedFrames)
    }
    state.withLock { $0.gathered.reserveCapacity(Self.chunk) }
  }

  /// Takes a block. Waits while the encoder is behind.
  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let (chunk, failure) = state.withLock { state in
      state.gathered.append(contentsOf: block)
      return (state.gathered.count < Self.chunk ? nil : state.takeChunk(), state.failure)
    }
    if let failure { throw failure }
    if let chunk { enqueue(chunk) }
    written.add(FrameCount(block.count), ordering: .relaxed)
  }

  /// Completes the file, flushes it to the disk and gives it its final name.
  package func finish() throws(SinkError) {
    if let rest = state.withLock({ $0.takeChunk() }) { enqueue(rest) }
    queue.sync {
      execute { (encoder) throws(SinkError) in try encoder.finish() }
      encoder.withLock { $0 = nil }
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Removes the temporary file.
  package func abandon() {
    queue.sync {
      encoder.withLock { encoder in
        encoder?.abandon()
        encoder = nil
      }
    }
  }

  /// Queues a batch. Waits while four others are queued.
  private func enqueue(_ chunk: [Frame]) {
    room.wait()
    queue.async { [self] in
      execute { (encoder) throws(SinkError) in try encoder.write(chunk) }
      room.signal()
    }
  }

  /// Runs `work` on the queue. The first error is kept and removes the file; later work is skipped.
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
