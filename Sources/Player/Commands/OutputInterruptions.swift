import Engine
import Synchronization

/// Passes events of the output to the control thread, in order.
///
/// An event that demands silence goes through the command queue as a critical operation. It cancels all waiting
/// navigations and stops a running one, and it overtakes any other command that is loading a sound, so it never waits for
/// a load. Other events are posted to the control thread immediately, unless such an operation is still waiting or
/// running.
final class OutputInterruptions: Sendable {
  private let controlLoop: ControlLoop
  private let queue: AsyncOperationQueue
  /// False if the session never pauses because of its output.
  private let isManaged: Bool
  /// The number of events in `events`: interruptions and the events that arrived after them.
  private let waiting = Mutex(0)
  private let events = AsyncStream.makeStream(of: OutputEvent.self)

  init(controlLoop: ControlLoop, queue: AsyncOperationQueue, isManaged: Bool) {
    (self.controlLoop, self.queue, self.isManaged) = (controlLoop, queue, isManaged)
  }

  /// Receives an event of the output. May be called from any thread, and does not wait.
  func take(_ event: OutputEvent) {
    waiting.withLock { waiting in
      guard 0 < waiting || isManaged && event.interruption != nil else { return post(event) }
      waiting += 1
      events.continuation.yield(event)
    }
  }

  /// Handles the waiting events one after the other, until the calling task is cancelled.
  func execute() async {
    for await event in events.stream {
      if let name = event.interruption { await interrupt(by: event, name) } else { post(event) }
      waiting.withLock { $0 -= 1 }
    }
  }

  private func post(_ event: OutputEvent) { controlLoop.post { $0.take(event) } }

  private func interrupt(by event: OutputEvent, _ name: String) async {
    let operation = Operation(name: name, priority: .critical, isInterruption: true) { [controlLoop] _ in
      await controlLoop.perform { $0.take(event) } == nil ? .rejected(.ended) : .done
    }
    _ = await queue.perform([operation])
  }
}

extension OutputEvent {
  /// The name of the operation that pauses the session; nil if the event demands no pause.
  fileprivate var interruption: String? {
    switch self {
    case .corked(true): "corked"
    case .asleep(true): "asleep"
    case .unplugged: "unplugged"
    case .connected, .lost, .restored, .moved, .starved, .corked(false), .asleep(false): nil
    }
  }
}
