/// Counts and measures the queue's operations, in a fixed amount of memory. All times are nanoseconds of the queue's
/// clock.
struct QueueRecorder {
  /// How many operations and cancellations are kept individually.
  static let remembered = 20

  private var metrics = QueueMetrics()
  private var waits = DurationRecorder()
  private var executions = DurationRecorder()
  private var recentPeak = RecentPeak()
  /// The sum of all execution times.
  private var busy: Int64 = 0
  private let start: Int64

  init(maxDepth: Int, at now: Int64) {
    metrics.maxDepth = maxDepth
    start = now
  }

  /// How many operations have run to their end.
  var ended: Int { executions.count }
  var recentExecution: QueueMetrics.Distribution { executions.recentDistribution }
  var recentWait: QueueMetrics.Distribution { waits.recentDistribution }

  /// Counts an accepted operation.
  ///
  /// - Returns: whether `depth` is a new peak.
  mutating func enqueued(depth: Int, at now: Int64) -> Bool {
    metrics.totalOperations += 1
    recentPeak.note(depth, at: now)
    guard depth > metrics.peakDepth else { return false }
    metrics.peakDepth = depth
    return true
  }

  mutating func rejected() { metrics.rejected += 1 }
  mutating func coalesced() { metrics.coalesced += 1 }
  mutating func began(_ operation: WaitingOperation) { waits.record(operation.wait) }

  /// Notes that `depth` operations wait from now on.
  mutating func waiting(_ depth: Int, at now: Int64) {
    metrics.peakDepth = max(metrics.peakDepth, depth)
    recentPeak.note(depth, at: now)
  }

  mutating func cancelled(_ operation: WaitingOperation, by name: String) {
    metrics.totalCancellations += 1
    metrics.cancellationsByPriority[operation.priority.name, default: 0] += 1
    let cancellation = QueueMetrics.Cancellation(
      id: operation.id, name: operation.operation.name, priority: operation.priority.name, by: name)
    metrics.cancellations.append(cancellation, keeping: Self.remembered)
  }

  /// Counts an operation that ended after that many nanoseconds of execution.
  mutating func ended(_ operation: WaitingOperation, after execution: Int64, _ outcome: CommandOutcome) {
    busy += execution
    executions.record(execution)
    switch outcome {
    case .done: break
    case .cancelled(let name): cancelled(operation, by: name)
    case .coalesced: coalesced()
    case .rejected: metrics.totalFailures += 1
    }
    let ended = QueueMetrics.EndedOperation(
      id: operation.id, name: operation.operation.name, priority: operation.priority.name, outcome: outcome.name,
      wait: operation.wait.milliseconds, execution: execution.milliseconds)
    metrics.operations.append(ended, keeping: Self.remembered)
  }

  /// The share of the time since `start` during which a counted operation ran, 0…1.
  ///
  /// - Parameter running: the operation that has run longest; nil if none runs.
  func utilization(at now: Int64, running: WaitingOperation?) -> Double {
    let elapsed = now - start
    guard elapsed > 0 else { return 0 }
    let current = if let running, running.operation.isCounted { max(0, now - running.began) } else { Int64(0) }
    return min(1, Double(busy + current) / Double(elapsed))
  }

  func snapshot(of backlog: OperationBacklog, at now: Int64) -> QueueMetrics {
    var snapshot = metrics
    snapshot.depth = backlog.depth
    snapshot.idle = backlog.isIdle
    snapshot.wait = waits.durations
    snapshot.execution = executions.durations
    snapshot.utilization = utilization(at: now, running: backlog.running.first)
    snapshot.recentPeakDepth = recentPeak.depth(at: now)
    snapshot.uptime = Double(max(0, now - start)) / 1e9
    return snapshot
  }
}

extension Array {
  /// Appends an element and drops the oldest ones beyond `limit`.
  mutating func append(_ element: Element, keeping limit: Int) { self = suffix(limit - 1) + [element] }
}

extension CommandOutcome {
  /// The name in events and metrics.
  package var name: String {
    switch self {
    case .done: "done"
    case .cancelled: "cancelled"
    case .coalesced: "coalesced"
    case .rejected: "rejected"
    }
  }
}
