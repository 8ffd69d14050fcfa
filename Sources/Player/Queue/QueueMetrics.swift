/// How the queue has done until now: a value.
public struct QueueMetrics: Sendable, Hashable, Decodable {
  /// Operations that wait.
  public var depth = 0
  public var peakDepth = 0
  public var maxDepth = 0
  /// Nothing waits and nothing runs, but for those who read these figures.
  public var idle = true
  /// Operations that were taken, whatever became of them; rejected ones were not.
  public var totalOperations = 0
  /// Those that ran and couldn't do what they were asked for.
  public var totalFailures = 0
  public var totalCancellations = 0
  public var cancellationsByPriority = CancellationCounts()
  /// Those for which there was no room.
  public var rejected = 0
  /// Those that became part of another one.
  public var coalesced = 0
  /// Between an operation's arrival and its beginning.
  public var wait = Durations()
  /// Between its beginning and its end, failed and stopped ones included.
  public var execution = Durations()
  /// The share of the uptime in which an operation ran, 0…1.
  public var utilization = 0.0
  /// Seconds since the queue was made, or its metrics were reset.
  public var uptime = 0.0
  /// How often the output had nothing to play; this and the next two are of the session, nil where none plays.
  public var underruns: Int?
  /// How often a voice had nothing.
  public var starved: Int?
  /// Commands that came to the mixer behind their frames.
  public var late: Int?
  /// The last ones that ran, oldest first.
  public var operations: [EndedOperation] = []
  /// The last ones that were cancelled, oldest first.
  public var cancellations: [Cancellation] = []
  /// The peak depth of the last minute; this and what follows is nil where it was not measured.
  public var recentPeakDepth: Int?
  /// The last 50 changes of the player's state, oldest first.
  public var stateChanges: [StateChange]?
  /// The sounds that were opened before they were asked for.
  public var cache: CacheFigures?
  /// Seconds that a sound may take to open, learned from how long the ones before it took; nil where none is given up.
  public var loadTimeout: Double?
  /// The memory of the live player that is in use, without what is swapped out.
  public var residentBytes: Int?

  public init() {}

  /// The same, with what a session tells of itself.
  public func with(_ shortfalls: Shortfalls) -> QueueMetrics {
    var metrics = self
    (metrics.underruns, metrics.starved, metrics.late) = (shortfalls.underruns, shortfalls.starved, shortfalls.late)
    return metrics
  }

  /// What was not there in time; nil where no session plays.
  package var shortfalls: Shortfalls? {
    guard let underruns, let starved, let late else { return nil }
    return Shortfalls(underruns: underruns, starved: starved, late: late)
  }
}

extension QueueMetrics {
  /// How many operations of each priority were cancelled.
  public struct CancellationCounts: Sendable, Hashable, Decodable {
    public var low = 0
    public var normal = 0
    public var high = 0
    public var critical = 0

    public init() {}

    public subscript(priority: OperationPriority) -> Int {
      get { self[keyPath: Self.place(of: priority)] }
      set { self[keyPath: Self.place(of: priority)] = newValue }
    }

    private static func place(of priority: OperationPriority) -> WritableKeyPath<Self, Int> {
      switch priority {
      case .low: \.low
      case .normal: \.normal
      case .high: \.high
      case .critical: \.critical
      }
    }
  }

  /// How long things took, in milliseconds: the last 100, and all of the run.
  public struct Durations: Sendable, Hashable {
    public var recent = Distribution()
    public var total = Distribution()

    public init() {}
  }

  /// In milliseconds; all 0 when nothing was measured.
  public struct Distribution: Sendable, Hashable, Decodable {
    public var p50: Double
    public var p95: Double
    public var p99: Double
    public var max: Double
    public var mean: Double
    public var count: Int

    public init(
      p50: Double = 0, p95: Double = 0, p99: Double = 0, max: Double = 0, mean: Double = 0, count: Int = 0
    ) {
      (self.p50, self.p95, self.p99, self.max, self.mean, self.count) = (p50, p95, p99, max, mean, count)
    }
  }

  public struct EndedOperation: Sendable, Hashable, Decodable {
    public var id: String
    public var name: String
    public var priority: String
    /// done, cancelled, coalesced or rejected.
    public var outcome: String
    /// In milliseconds.
    public var wait: Double
    /// In milliseconds.
    public var execution: Double
  }

  public struct StateChange: Sendable, Hashable, Decodable {
    /// Seconds since the player started, pauses included.
    public var run: Double
    /// Seconds of the session that had been heard.
    public var session: Double
    /// The new state's name.
    public var state: String
  }

  public struct Cancellation: Sendable, Hashable, Decodable {
    public var id: String
    public var name: String
    public var priority: String
    /// The name of the operation that cancelled it.
    public var by: String
  }
}

/// The figures of the last 100 stand in the object itself, those of the whole run in its member `total`.
extension QueueMetrics.Durations: Decodable {
  private enum CodingKeys: String, CodingKey { case total }

  public init(from decoder: any Decoder) throws {
    recent = try QueueMetrics.Distribution(from: decoder)
    total = try decoder.container(keyedBy: CodingKeys.self).decode(QueueMetrics.Distribution.self, forKey: .total)
  }
}
