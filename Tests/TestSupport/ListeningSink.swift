package import Engine
package import Signal
import Synchronization

/// A listener in real time who records what was heard.
package final class ListeningSink: Sink {
  package let pace = Pace.listener
  private let clock = NullSink(pace: .listener)
  private let collected = Mutex<[Frame]>([])

  package init() {}

  /// Everything that was heard, and will be.
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
