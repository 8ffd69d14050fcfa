import Dispatch
package import Engine
package import Signal
import Synchronization

/// Writes the session to a file, as fast as it is rendered. Encoding runs beside rendering on a queue of its own.
///
/// Nothing stands under the final name before `finish`, and what stood there before is whole until then.
package final class FileSink: Sink {
  package let pace = Pace.players
  private let path: String
  private let format: OutputFormat
  private let title: String?
  private let expectedFrames: FrameCount?

  private let queue = DispatchQueue(label: "prosper.encoder", qos: .userInitiated)
  /// Blocks that may wait for the encoder: enough to keep it busy, little to hold.
  private let room = DispatchSemaphore(value: 4)
  /// Used on the queue alone, where nobody waits for the other.
  private let encoder = Mutex<Encoder?>(nil)
  private let state = Mutex(State())
  private let written = Atomic<FrameCount>(0)

  private struct State {
    /// Frames that are not worth a turn of the encoder yet.
    var gathered: [Frame] = []
    var failure: SinkError?

    mutating func takeTurn() -> [Frame]? {
      if gathered.isEmpty { return nil }
      defer { gathered.removeAll(keepingCapacity: true) }
      return gathered
    }
  }

  /// Frames that are handed to the encoder at once.
  private static let turn = 8_192

  /// - Parameter expectedFrames: how long the sound is at most. A WAV file that will surely stay below 4 GiB gets the
  ///   header of 44 bytes that every program reads, and can't grow beyond; nil keeps room for any length.
  /// - Throws: `unsupported` for an extension without a format, and an encoding that the format can't hold.
  package init(
    path: String, encoding: SampleEncoding? = nil, title: String? = nil, expectedFrames: FrameCount? = nil
  ) throws(SinkError) {
    format = try OutputFormat(path: path, encoding: encoding)
    self.path = path
    self.title = title
    self.expectedFrames = expectedFrames
  }

  package var heard: FrameCount { written.load(ordering: .relaxed) }

  package func start(at rate: SampleRate) throws(SinkError) {
    try encoder.withLock { (encoder) throws(SinkError) in
      encoder = try Encoder(path: path, format: format, rate: rate, title: title, expectedFrames: expectedFrames)
    }
    state.withLock { $0.gathered.reserveCapacity(Self.turn) }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let (turn, failure) = state.withLock { state in
      state.gathered.append(contentsOf: block)
      return (state.gathered.count < Self.turn ? nil : state.takeTurn(), state.failure)
    }
    if let failure { throw failure }
    if let turn { hand(turn) }
    written.add(FrameCount(block.count), ordering: .relaxed)
  }

  package func finish() throws(SinkError) {
    if let rest = state.withLock({ $0.takeTurn() }) { hand(rest) }
    queue.sync {
      carryOut { (encoder) throws(SinkError) in try encoder.finish() }
      encoder.withLock { $0 = nil }
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  package func abandon() {
    queue.sync {
      encoder.withLock { encoder in
        encoder?.abandon()
        encoder = nil
      }
    }
  }

  /// Waits while the queue is full.
  private func hand(_ turn: [Frame]) {
    room.wait()
    queue.async { [self] in
      carryOut { (encoder) throws(SinkError) in try encoder.write(turn) }
      room.signal()
    }
  }

  /// On the queue. The first error is kept, and removes the file; nothing is written after it.
  private func carryOut(_ work: @Sendable (Encoder) throws(SinkError) -> Void) {
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
