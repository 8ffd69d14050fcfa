extension QueueMetrics {
  /// Writes the members; durations in milliseconds, the uptime in seconds.
  package func add(to line: inout JSONLine) {
    line.add("depth", depth)
    line.add("peakDepth", peakDepth)
    line.add("maxDepth", maxDepth)
    line.add("idle", idle)
    line.add("totalOperations", totalOperations)
    line.add("totalFailures", totalFailures)
    line.add("totalCancellations", totalCancellations)
    line.add("cancellationsByPriority", cancellationsByPriority.json)
    line.add("rejected", rejected)
    line.add("coalesced", coalesced)
    line.add("wait", wait.json)
    line.add("execution", execution.json)
    line.add("utilization", utilization)
    line.add("uptime", seconds: uptime)
    shortfalls?.add(to: &line)
    line.add("operations", operations.map(\.json))
    line.add("cancellations", cancellations.map(\.json))
    if let recentPeakDepth { line.add("recentPeakDepth", recentPeakDepth) }
    if let stateChanges { line.add("stateChanges", stateChanges.map(\.json)) }
    if let cache { line.add("cache", cache.json) }
    if let loadTimeout { line.add("loadTimeout", seconds: loadTimeout) }
    if let residentBytes { line.add("residentBytes", residentBytes) }
  }
}

extension QueueMetrics.CancellationCounts {
  fileprivate var json: JSONLine {
    var line = JSONLine()
    for priority in OperationPriority.allCases { line.add(priority.name, self[priority]) }
    return line
  }
}

extension QueueMetrics.Durations {
  fileprivate var json: JSONLine {
    var line = JSONLine()
    recent.add(to: &line)
    line.add("total", total.json)
    return line
  }
}

extension QueueMetrics.Distribution {
  package var json: JSONLine {
    var line = JSONLine()
    add(to: &line)
    return line
  }

  fileprivate func add(to line: inout JSONLine) {
    line.add("p50", p50)
    line.add("p95", p95)
    line.add("p99", p99)
    line.add("max", max)
    line.add("mean", mean)
    line.add("count", count)
  }
}

extension QueueMetrics.EndedOperation {
  fileprivate var json: JSONLine {
    var line = JSONLine()
    line.add("id", id)
    line.add("name", name)
    line.add("priority", priority)
    line.add("outcome", outcome)
    line.add("wait", wait)
    line.add("execution", execution)
    return line
  }
}

extension QueueMetrics.Cancellation {
  fileprivate var json: JSONLine {
    var line = JSONLine()
    line.add("id", id)
    line.add("name", name)
    line.add("priority", priority)
    line.add("by", by)
    return line
  }
}

extension QueueMetrics.StateChange {
  fileprivate var json: JSONLine {
    var line = JSONLine()
    line.add("run", seconds: run)
    line.add("session", seconds: session)
    line.add("state", state)
    return line
  }
}

extension CacheFigures {
  fileprivate var json: JSONLine {
    var line = JSONLine()
    line.add("hits", hits)
    line.add("misses", misses)
    line.add("hitRate", hitRate)
    line.add("preloadSuccesses", preloadSuccesses)
    line.add("preloadFailures", preloadFailures)
    line.add("preloadSuccessRate", preloadSuccessRate)
    line.add("clears", clears)
    return line
  }
}
