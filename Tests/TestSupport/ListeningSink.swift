package import Engine
package import Signal
import Synchronization

/// Collects frames in real time. Frames that are replaced after a rewind are removed, so what remains is what a
/// listener hears.
package final class ListeningSink: Sink {
  package let pace = Pace.listener
  private let clock = NullSink(pace: .listener)
  private let collected = Mutex<[Frame]>([])

  package init() {}

  /// The frames that were heard, and those that are buffered.
  package var frames: [Frame] { collected.withLock { $0 } }
  package var heard: FrameCount { clock.heard }

  package func start(at rate: SampleRate) throws(SinkError) { try clock.start(at: rate) }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    collected.withLock { $0.append(contentsOf: block) }
    try clock.write(block)
  }

  package func finish() throws(SinkError) { try clock.finish() }
  package func abandon() { clock.abandon() }
  package func interrupt() { clock.interrupt() }
  package func retract(over ramp: FrameCount) -> Bool { clock.retract(over: ramp) }

  package func rewind() -> FrameCount? {
    let next = clock.rewind()
    collected.withLock { frames in
      if let next { frames.removeLast(frames.count - Int(next)) }
    }
    return next
  }
}
