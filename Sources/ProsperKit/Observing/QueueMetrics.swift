import Player

/// The metrics of a player's command queue.
public struct QueueMetrics: Sendable, CustomStringConvertible {
  private let base: Player.QueueMetrics

  init(_ metrics: Player.QueueMetrics) { base = metrics }

  /// The number of operations that wait.
  public var depth: Int { base.depth }
  /// The greatest depth so far.
  public var peakDepth: Int { base.peakDepth }
  /// The depth at which further navigations and changes are rejected; pausing, resuming and ending are not.
  public var maxDepth: Int { base.maxDepth }
  /// Whether no operation waits or runs.
  public var isIdle: Bool { base.idle }
  /// The operations that were accepted, whatever their outcome.
  public var totalOperations: Int { base.totalOperations }
  /// The operations that ran and failed.
  public var totalFailures: Int { base.totalFailures }
  /// The operations that were cancelled, before or while they ran.
  public var totalCancellations: Int { base.totalCancellations }
  /// The operations that the full queue did not accept.
  public var rejected: Int { base.rejected }
  /// The operations that were merged into another one.
  public var coalesced: Int { base.coalesced }
  /// The times between the arrival and the start of the last 100 operations.
  public var wait: Distribution { Distribution(base.wait.recent) }
  /// The times between the start and the end of the last 100 operations.
  public var execution: Distribution { Distribution(base.execution.recent) }
  /// The times between the arrival and the start of all operations.
  public var totalWait: Distribution { Distribution(base.wait.total) }
  /// The times between the start and the end of all operations.
  public var totalExecution: Distribution { Distribution(base.execution.total) }
  /// The share of the uptime during which an operation ran, 0 to 1.
  public var utilization: Double { base.utilization }
  /// Seconds since the player was created, or since its metrics were reset.
  public var uptime: Double { base.uptime }

  /// The metrics as a JSON object on one line, as `prosper metrics --format json` prints it.
  public var description: String { base.json.description }

  /// A distribution of durations in milliseconds. All values are 0 if nothing was measured.
  public struct Distribution: Sendable, Hashable {
    /// The median.
    public let p50: Double
    /// The 95th percentile.
    public let p95: Double
    /// The 99th percentile.
    public let p99: Double
    /// The largest duration.
    public let max: Double
    /// The arithmetic mean.
    public let mean: Double
    /// The number of measured durations.
    public let count: Int

    init(_ base: Player.QueueMetrics.Distribution) {
      (p50, p95, p99, max, mean, count) = (base.p50, base.p95, base.p99, base.max, base.mean, base.count)
    }
  }
}
