import Schedule
import Synchronization

/// The last state changes of a player, and the metrics that it has reported last. May be used from any thread.
final class StateHistory: Sendable {
  static let capacity = 50

  private let recent = Mutex<[QueueMetrics.StateChange]>([])

  private let lastReport = Mutex<QueueMetrics?>(nil)

  /// The metrics of the last `metrics` event; nil before the first one.
  var reported: QueueMetrics? { lastReport.withLock(\.self) }

  /// Oldest first.
  var changes: [QueueMetrics.StateChange] { recent.withLock { $0 } }

  /// Records a `metrics` event, and a `state` event if it changes the state. One that only updates a crossfade's progress
  /// is ignored.
  func note(_ event: StampedEvent) {
    if case .metrics(let metrics) = event.event { lastReport.withLock { $0 = metrics } }
    guard case .state(let state, _) = event.event else { return }
    recent.withLock { changes in
      guard changes.last?.state != state.name else { return }
      let change = QueueMetrics.StateChange(run: event.run, session: event.session, state: state.name)
      changes.append(change, keeping: Self.capacity)
    }
  }
}
