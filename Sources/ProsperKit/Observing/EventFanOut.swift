import Player
import Synchronization

/// Passes events to any number of streams. May be used from any thread.
final class EventFanOut: Sendable {
  private struct Reader {
    let continuation: AsyncStream<PlayerEvent>.Continuation
    /// The number of events that were sent.
    var count = 0
  }

  private struct State {
    var readers: [Int: Reader] = [:]
    var nextID = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  /// Ends the streams of a player that is released, even if it has not played.
  deinit { finish() }

  /// A stream of the events from now on.
  func stream(_ policy: AsyncStream<PlayerEvent>.Continuation.BufferingPolicy) -> AsyncStream<PlayerEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: PlayerEvent.self, bufferingPolicy: policy)
    let id = state.withLock { state -> Int? in
      if state.isFinished { return nil }
      state.nextID += 1
      state.readers[state.nextID] = Reader(continuation: continuation)
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.readers.removeValue(forKey: id) } }
    return stream
  }

  func publish(_ event: Player.StampedEvent) {
    state.withLock { state in
      for id in state.readers.keys {
        state.readers[id]?.count += 1
        guard let reader = state.readers[id] else { continue }
        reader.continuation.yield(PlayerEvent(event, number: reader.count))
      }
    }
  }

  /// Ends all streams, after their readers have received what is buffered.
  func finish() {
    // A stream removes its reader when it ends, so the lock must not be held here.
    let readers = state.withLock { state in
      state.isFinished = true
      return state.readers.values.map(\.continuation)
    }
    for reader in readers { reader.finish() }
  }
}
