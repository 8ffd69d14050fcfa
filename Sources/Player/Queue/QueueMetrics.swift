/// The metrics of a player's command queue, and of the loads and outputs related to it. Reading them, and preloads, are not
/// counted as operations.
public struct QueueMetrics: Sendable, Hashable, Decodable {
  /// How many operations wait.
  public var depth = 0
  /// The greatest depth so far.
  public var peakDepth = 0
  /// The depth at which further navigations and changes are rejected; pausing, resuming and ending are not.
  public var maxDepth = 0
  /// Whether no operation waits or runs.
  public var idle = true
  /// Operations that were accepted, whatever their outcome.
  public var totalOperations = 0
  /// Operations that ran and failed.
  public var totalFailures = 0
  /// Operations that were cancelled, before or while they ran.
  public var totalCancellations = 0
  /// How many operations of each priority were cancelled, by the priority's name. At first it contains all
  /// priorities, each with 0.
  public var cancellationsByPriority = Dictionary(
    uniqueKeysWithValues: OperationPriority.allCases.map { ($0.name, 0) })
  /// Operations that the full queue did not accept.
  public var rejected = 0
  /// Operations that were merged into another one.
  public var coalesced = 0
  /// The times between an operation's arrival and its start.
  public var wait = Durations()
  /// The times between its start and its end, including failed and cancelled ones.
  public var execution = Durations()
  /// The share of the uptime during which an operation ran, 0…1.
  public var utilization = 0.0
  /// Seconds since the queue was created, or since its metrics were reset.
  public var uptime = 0.0
  /// How often the output had no sound to play. This property and the next two belong to the session; nil if none
  /// plays.
  public var underruns: Int?
  /// How often a voice had no decoded sound in time.
  public var starved: Int?
  /// How many commands reached the mixer too late.
  public var late: Int?
  /// The last 20 operations that ran, oldest first.
  public var operations: [EndedOperation] = []
  /// The last 20 operations that were cancelled, oldest first.
  public var cancellations: [Cancellation] = []
  /// The greatest depth of the last minute. This property and those below are nil if they were not measured.
  public var recentPeakDepth: Int?
  /// The last 50 changes of the player's state, oldest first.
  public var stateChanges: [StateChange]?
  /// How often a requested sound had been opened in advance.
  public var cache: CacheFigures?
  /// The timeout of a load in seconds, adapted to the last loads; nil if loads never time out.
  public var loadTimeout: Double?
  /// The resident memory of a live player's process in bytes, without swapped pages.
  public var residentBytes: Int?

  package init() {}

  /// A copy that includes the shortfalls of a session.
  package func with(_ shortfalls: Shortfalls) -> QueueMetrics {
    var metrics = self
    (metrics.underruns, metrics.starved, metrics.late) = (shortfalls.underruns, shortfalls.starved, shortfalls.late)
    return metrics
  }

  /// How often sound or commands were late; nil if no session plays.
  public var shortfalls: Shortfalls? {
    guard let underruns, let starved, let late else { return nil }
    return Shortfalls(underruns: underruns, starved: starved, late: late)
  }
}

extension QueueMetrics {
  /// Durations in milliseconds: of the last 100 operations, and of all since the last reset.
  public struct Durations: Sendable, Hashable {
    /// Of the last 100 operations.
    public var recent = Distribution()
    /// Of all operations since the last reset.
    public var total = Distribution()
  }

  /// A distribution of durations in milliseconds, and their count. All values are 0 if nothing was measured.
  public struct Distribution: Sendable, Hashable, Decodable {
    /// The median.
    public var p50 = 0.0
    /// The 95th percentile.
    public var p95 = 0.0
    /// The 99th percentile.
    public var p99 = 0.0
    /// The largest duration.
    public var max = 0.0
    /// The arithmetic mean.
    public var mean = 0.0
    /// The number of measured durations.
    public var count = 0
  }

  /// An operation that ran to its end.
  public struct EndedOperation: Sendable, Hashable, Decodable {
    /// The ID, as in the log.
    public var id: String
    /// The name of its command.
    public var name: String
    /// low, normal, high or critical.
    public var priority: String
    /// done, cancelled, coalesced or rejected.
    public var outcome: String
    /// Milliseconds between arrival and start.
    public var wait: Double
    /// Milliseconds between start and end.
    public var execution: Double
  }

  /// A change of the player's state.
  public struct StateChange: Sendable, Hashable, Decodable {
    /// Seconds since the player started, pauses included.
    public var run: Double
    /// Seconds of the session that had been heard.
    public var session: Double
    /// The new state's name.
    public var state: String
  }

  /// An operation that was cancelled.
  public struct Cancellation: Sendable, Hashable, Decodable {
    /// The ID, as in the log.
    public var id: String
    /// The name of its command.
    public var name: String
    /// low, normal, high or critical.
    public var priority: String
    /// The name of the operation that cancelled it.
    public var by: String
  }
}

/// In JSON, the values of the last 100 operations are members of the object itself; those of all are in `total`.
extension QueueMetrics.Durations: Decodable {
  private enum CodingKeys: String, CodingKey { case total }

  /// Reads the members of the object.
  public init(from decoder: any Decoder) throws {
    recent = try QueueMetrics.Distribution(from: decoder)
    total = try decoder.container(keyedBy: CodingKeys.self).decode(QueueMetrics.Distribution.self, forKey: .total)
  }
}

extension QueueMetrics: CustomStringConvertible {
  /// The metrics as a JSON object on one line, as `prosper metrics --format json` prints it.
  public var description: String { json.description }

  /// The metrics as JSON. Durations are milliseconds; `uptime` and `loadTimeout` are seconds.
  package var json: JSONLine {
    var line: JSONLine = [
      "depth": depth, "peakDepth": peakDepth, "maxDepth": maxDepth, "idle": idle, "totalOperations": totalOperations,
      "totalFailures": totalFailures, "totalCancellations": totalCancellations,
      "cancellationsByPriority": cancellationCounts, "rejected": rejected, "coalesced": coalesced,
      "wait": wait.json, "execution": execution.json, "utilization": utilization, "uptime": Rounded(uptime),
    ]
    if let shortfalls { line.add(shortfalls.members) }
    line.add([
      "operations": operations.map(\.json), "cancellations": cancellations.map(\.json),
      "recentPeakDepth": IfAny(recentPeakDepth), "stateChanges": IfAny(stateChanges?.map(\.json)),
      "cache": IfAny(cache?.json), "loadTimeout": IfAny(loadTimeout.map { Rounded($0) }),
      "residentBytes": IfAny(residentBytes),
    ])
    return line
  }

  private var cancellationCounts: JSONLine {
    OperationPriority.allCases.reduce(into: [:]) { $0.add($1.name, cancellationsByPriority[$1.name, default: 0]) }
  }
}

extension QueueMetrics.Durations {
  fileprivate var json: JSONLine { recent.json + ["total": total.json] }
}

extension QueueMetrics.Distribution {
  package var json: JSONLine { ["p50": p50, "p95": p95, "p99": p99, "max": max, "mean": mean, "count": count] }
}

extension QueueMetrics.EndedOperation {
  fileprivate var json: JSONLine {
    ["id": id, "name": name, "priority": priority, "outcome": outcome, "wait": wait, "execution": execution]
  }
}

extension QueueMetrics.Cancellation {
  fileprivate var json: JSONLine { ["id": id, "name": name, "priority": priority, "by": by] }
}

extension QueueMetrics.StateChange {
  fileprivate var json: JSONLine { ["run": Rounded(run), "session": Rounded(session), "state": state] }
}

extension CacheFigures {
  fileprivate var json: JSONLine {
    [
      "hits": hits, "misses": misses, "hitRate": hitRate, "preloadSuccesses": preloadSuccesses,
      "preloadFailures": preloadFailures, "preloadSuccessRate": preloadSuccessRate, "clears": clears,
    ]
  }
}
