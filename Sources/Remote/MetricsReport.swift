package import Player

/// Queue metrics and where they come from, to be told in one of three formats.
package struct MetricsReport: Sendable {
  package enum Format: String, Sendable, CaseIterable { case table, json, prometheus }

  package enum Origin: Sendable, Hashable {
    /// Asked of a player that plays.
    case running
    /// Left behind by the last player; seconds since 1970.
    case saved(at: Double)
    /// Measured just now.
    case drill(QueueDrill)
  }

  package var metrics: QueueMetrics
  package var origin: Origin

  package init(metrics: QueueMetrics, origin: Origin) {
    self.metrics = metrics
    self.origin = origin
  }

  /// With a line feed at its end.
  package func text(in format: Format) -> String {
    switch format {
    case .table: table
    case .json: json.description + "\n"
    case .prometheus: exposition
    }
  }

  /// The members, and before them where they come from.
  package var json: JSONLine {
    var line = JSONLine()
    switch origin {
    case .running: line.add("source", "running")
    case .saved(let time):
      line.add("source", "saved")
      line.add("savedAt", seconds: time)
    case .drill(let drill):
      line.add("source", "drill")
      line.add("drilled", drill.operations)
      line.add("microsecondsEach", drill.microsecondsEach)
      line.add("pause", drill.pause.json)
    }
    line.add(metrics.json)
    return line
  }
}
