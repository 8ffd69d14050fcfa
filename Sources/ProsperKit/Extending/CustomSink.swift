import Engine
import Signal
import Synchronization

/// Adapts a sink of the embedding program to the engine's protocol.
final class CustomSink: Sink {
  private let base: any AudioSink
  private let written = Atomic<FrameCount>(0)
  private let error = Mutex<(any Error)?>(nil)

  init(_ base: any AudioSink) { self.base = base }

  /// The first error that the sink has thrown; nil if there is none.
  var failure: (any Error)? { error.withLock { $0 } }

  var pace: Pace { base.isRealTime ? .listener : .players }

  var heard: FrameCount {
    let written = written.load(ordering: .relaxed)
    return base.playedFrames.map { min(max(0, $0), written) } ?? written
  }

  func start(at rate: SampleRate) throws(SinkError) {
    do { try base.start(sampleRate: rate.hertz) } catch {
      throw .cannotCreate(path: Self.name, cause: cause(error))
    }
  }

  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    try writing { try block.withMemoryRebound(to: StereoFrame.self) { try base.write($0.span) } }
    written.add(FrameCount(block.count), ordering: .relaxed)
  }

  func finish() throws(SinkError) { try writing { try base.finish() } }

  func abandon() { base.cancel() }

  private static let name = "the output"

  private func writing(_ body: () throws -> Void) throws(SinkError) {
    do { try body() } catch { throw .cannotWrite(path: Self.name, cause: cause(error)) }
  }

  /// Keeps the first error, and returns its text.
  private func cause(_ error: any Error) -> String {
    self.error.withLock { $0 = $0 ?? error }
    return "\(error)"
  }
}
