import Dispatch
import Levels
import Synchronization

/// Hands blocks from the thread that renders a session to the thread that compares it. Only a few wait, so that the
/// memory is bounded: the render waits for the comparison.
final class BlockQueue: Sendable {
  private struct State {
    var blocks: [FrameBlock] = []
    /// How the render ended; nil while it lasts.
    var outcome: SessionStream.Outcome?
    /// Whether nobody takes blocks any more.
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Count the blocks that can be added, and those that can be taken.
  private let (room, filled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

  private static let capacity = 16

  init() { for _ in 0..<Self.capacity { room.signal() } }

  /// Adds a block; waits for room. A closed queue drops it.
  func add(_ block: FrameBlock) {
    room.wait()
    let isClosed = state.withLock { state in
      if !state.isClosed { state.blocks.append(block) }
      return state.isClosed
    }
    (isClosed ? room : filled).signal()
  }

  /// Lets the render go on without the comparison, which has failed.
  func close() {
    state.withLock { $0.isClosed = true }
    room.signal()
  }

  /// Ends the queue. Called once, after the last block.
  func end(_ outcome: SessionStream.Outcome) {
    state.withLock { $0.outcome = outcome }
    filled.signal()
  }

  /// Takes the next block, waits for it; nil after the last one.
  func next() -> FrameBlock? {
    filled.wait()
    let block = state.withLock { $0.blocks.isEmpty ? nil : $0.blocks.removeFirst() }
    // Further calls return at once.
    if block == nil { filled.signal() } else { room.signal() }
    return block
  }

  /// How the render ended; nil before `next` has returned nil.
  var outcome: SessionStream.Outcome? { state.withLock { $0.outcome } }
}
