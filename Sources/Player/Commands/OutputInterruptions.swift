import Engine
import Synchronization

/// Takes what becomes of the output, in its order.
///
/// What asks for silence goes through the queue of commands, as an operation before which all navigation gives way, and which
/// waits for no load. All else goes to the control thread at once, unless such an operation is under way.
final class OutputInterruptions: Sendable {
  private let conductor: Conductor
  private let queue: AsyncOperationQueue
  /// False where the session never pauses because of its output.
  private let isManaged: Bool
  /// How many events wait for an interruption, itself included.
  private let waiting = Mutex(0)
  private let events = AsyncStream.makeStream(of: OutputEvent.self)

  init(conductor: Conductor, queue: AsyncOperationQueue, isManaged: Bool) {
    (self.conductor, self.queue, self.isManaged) = (conductor, queue, isManaged)
  }

  /// From any thread, without waiting.
  func take(_ event: OutputEvent) {
    waiting.withLock { waiting in
      guard 0 < waiting || isManaged && event.interruption != nil else { return post(event) }
      waiting += 1
      events.continuation.yield(event)
    }
  }

  /// Carries out what waits, one after the other, until the calling task is cancelled.
  func carryOut() async {
    for await event in events.stream {
      if let name = event.interruption { await interrupt(by: event, name) } else { post(event) }
      waiting.withLock { $0 -= 1 }
    }
  }

  private func post(_ event: OutputEvent) { conductor.post { $0.take(event) } }

  private func interrupt(by event: OutputEvent, _ name: String) async {
    let operation = Operation(name: name, priority: .critical) { [conductor] _ in
      await conductor.turn { $0.take(event) } == nil ? .rejected(.ended) : .done
    }
    _ = await queue.perform([operation])
  }
}

extension OutputEvent {
  /// The name of the operation that pauses the session because of it; nil where it asks for no pause.
  fileprivate var interruption: String? {
    switch self {
    case .corked(true): "corked"
    case .asleep(true): "asleep"
    case .unplugged: "unplugged"
    case .connected, .lost, .restored, .moved, .starved, .corked(false), .asleep(false): nil
    }
  }
}
