import Synchronization

/// The last state changes of a player. May be used from any thread.
final class StateHistory: Sendable {
  static let capacity = 50

  private let recent = Mutex<[QueueMetrics.StateChange]>([])

  /// Oldest first.
  var changes: [QueueMetrics.StateChange] { recent.withLock { $0 } }

  /// Records a `state` event if it changes the state. One that only updates a crossfade's progress is ignored.
  func note(_ event: StampedEvent) {
    guard case .state(let state, _) = event.event else { return }
    recent.withLock { changes in
      guard changes.last?.state != state.name else { return }
      let change = QueueMetrics.StateChange(run: event.run, session: event.session, state: state.name)
      changes.append(change, keeping: Self.capacity)
    }
  }
}
