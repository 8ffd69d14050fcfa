import Engine
import Synchronization

/// The events that a sink has reported about its output.
final class ReportedEvents: Sendable {
  private let all = Mutex<[OutputEvent]>([])

  var events: [OutputEvent] { all.withLock { $0 } }

  /// What the server granted, each time the output was opened.
  private let allGrants = Mutex<[OutputGrant]>([])

  var grants: [OutputGrant] { allGrants.withLock { $0 } }

  func note(_ event: OutputEvent) {
    if case .connected(let grant) = event { return allGrants.withLock { $0.append(grant) } }
    all.withLock { $0.append(event) }
  }

  /// The lengths in seconds of the outages that are over.
  var outages: [Double] { events.compactMap { if case .restored(let seconds) = $0 { seconds } else { nil } } }

  /// The causes of the outages.
  var causes: [String] { events.compactMap { if case .lost(let cause, _) = $0 { cause } else { nil } } }
}
