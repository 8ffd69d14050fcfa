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
