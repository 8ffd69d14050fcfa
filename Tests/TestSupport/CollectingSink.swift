package import Engine
package import Signal
package import Synchronization

/// Collects frames as fast as they are rendered. It can fail at a given frame.
package final class CollectingSink: Sink {
  package let pace = Pace.players
  private let collected = Mutex<[Frame]>([])
  private let failure: (frame: Int, error: SinkError)?
  /// Called before each block with the number of frames collected so far.
  private let observe: @Sendable (Int) -> Void
  package let isFinished = Mutex(false)

  package init(
    failingAt failure: (frame: Int, error: SinkError)? = nil, observe: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.failure = failure
    self.observe = observe
  }

  package var frames: [Frame] { collected.withLock { $0 } }
  package var heard: FrameCount { FrameCount(collected.withLock { $0.count }) }

  package func start(at rate: SampleRate) throws(SinkError) {}

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    observe(collected.withLock { $0.count })
    let count = collected.withLock { frames in
      frames.append(contentsOf: block)
      return frames.count
    }
    if let failure, failure.frame <= count { throw failure.error }
  }

  package func finish() throws(SinkError) { isFinished.withLock { $0 = true } }
  package func abandon() {}
}
