/// The metrics of the command queue, and of the loads and outputs related to it. Reading them, and preloads, are not
/// counted as operations.
package struct QueueMetrics: Sendable, Hashable, Decodable {
  /// How many operations wait.
  package var depth = 0
  /// The greatest depth so far.
  package var peakDepth = 0
  /// The depth at which further operations of priority `normal` and `low` are rejected.
  package var maxDepth = 0
  /// Whether no operation waits or runs.
  package var idle = true
  /// Operations that were accepted, whatever their outcome.
  package var totalOperations = 0
  /// Operations that ran and failed.
  package var totalFailures = 0
  /// Operations that were cancelled, before or while they ran.
  package var totalCancellations = 0
  /// How many operations of each priority were cancelled, by the priority's name. At first it contains all
  /// priorities, each with 0.
  package var cancellationsByPriority = Dictionary(
    uniqueKeysWithValues: OperationPriority.allCases.map { ($0.name, 0) })
  /// Operations that the full queue did not accept.
  package var rejected = 0
  /// Operations that were merged into another one.
  package var coalesced = 0
  /// The times between an operation's arrival and its start.
  package var wait = Durations()
  /// The times between its start and its end, including failed and cancelled ones.
  package var execution = Durations()
  /// The share of the uptime during which an operation ran, 0…1.
  package var utilization = 0.0
  /// Seconds since the queue was created, or since its metrics were reset.
  package var uptime = 0.0
  /// How often the output had no sound to play. This property and the next two belong to the session; nil if none
  /// plays.
  package var underruns: Int?
  /// How often a voice had no decoded sound in time.
  package var starved: Int?
  /// How many commands reached the mixer too late.
  package var late: Int?
  /// The last 20 operations that ran, oldest first.
  package var operations: [EndedOperation] = []
  /// The last 20 operations that were cancelled, oldest first.
  package var cancellations: [Cancellation] = []
  /// The greatest depth of the last minute. This property and those below are nil if they were not measured.
  package var recentPeakDepth: Int?
  /// The last 50 changes of the player's state, oldest first.
  package var stateChanges: [StateChange]?
  /// How often a requested sound had been opened in advance.
  package var cache: CacheFigures?
  /// The timeout of a load in seconds, adapted to the last loads; nil if loads never time out.
  package var loadTimeout: Double?
  /// The resident memory of a live player's process in bytes, without swapped pages.
  package var residentBytes: Int?

  package init() {}

  /// A copy that includes the shortfalls of a session.
  package func with(_ shortfalls: Shortfalls) -> QueueMetrics {
    var metrics = self
    (metrics.underruns, metrics.starved, metrics.late) = (shortfalls.underruns, shortfalls.starved, shortfalls.late)
    return metrics
  }

  /// How often sound or commands were late; nil if no session plays.
  package var shortfalls: Shortfalls? {
    guard let underruns, let starved, let late else { return nil }
    return Shortfalls(underruns: underruns, starved: starved, late: late)
  }
}

extension QueueMetrics {
  /// Durations in milliseconds: of the last 100 operations, and of all since the last reset.
  package struct Durations: Sendable, Hashable {
    package var recent = Distribution()
    package var total = Distribution()
  }

  /// A distribution of durations in milliseconds, and their count. All values are 0 if nothing was measured.
  package struct Distribution: Sendable, Hashable, Decodable {
    package var p50 = 0.0
    package var p95 = 0.0
    package var p99 = 0.0
    package var max = 0.0
    package var mean = 0.0
    package var count = 0
  }

  /// An operation that ran to its end.
  package struct EndedOperation: Sendable, Hashable, Decodable {
    package var id: String
    package var name: String
    package var priority: String
    /// done, cancelled, coalesced or rejected.
    package var outcome: String
    /// Milliseconds between arrival and start.
    package var wait: Double
    /// Milliseconds between start and end.
    package var execution: Double
  }

  /// A change of the player's state.
  package struct StateChange: Sendable, Hashable, Decodable {
    /// Seconds since the player started, pauses included.
    package var run: Double
    /// Seconds of the session that had been heard.
    package var session: Double
    /// The new state's name.
    package var state: String
  }

  /// An operation that was cancelled.
  package struct Cancellation: Sendable, Hashable, Decodable {
    package var id: String
    package var name: String
    package var priority: String
    /// The name of the operation that cancelled it.
    package var by: String
  }
}

/// In JSON, the values of the last 100 operations are members of the object itself; those of all are in `total`.
extension QueueMetrics.Durations: Decodable {
  private enum CodingKeys: String, CodingKey { case total }

  package init(from decoder: any Decoder) throws {
    recent = try QueueMetrics.Distribution(from: decoder)
    total = try decoder.container(keyedBy: CodingKeys.self).decode(QueueMetrics.Distribution.self, forKey: .total)
  }
}
