import Engine
import Synchronization

/// What a sink has told of its output.
final class Told: Sendable {
  private let all = Mutex<[OutputEvent]>([])

  var events: [OutputEvent] { all.withLock { $0 } }

  /// What the server grants, each time the output is opened.
  private let allGrants = Mutex<[OutputGrant]>([])

  var grants: [OutputGrant] { allGrants.withLock { $0 } }

  func note(_ event: OutputEvent) {
    if case .connected(let grant) = event { return allGrants.withLock { $0.append(grant) } }
    all.withLock { $0.append(event) }
  }

  /// Seconds of the outages that are over.
  var outages: [Double] { events.compactMap { if case .restored(let seconds) = $0 { seconds } else { nil } } }

  /// Causes of the outages.
  var causes: [String] { events.compactMap { if case .lost(let cause) = $0 { cause } else { nil } } }
}
