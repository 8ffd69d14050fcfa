package import ProsperKit

/// The metrics of a queue and their origin, in the formats of `prosper metrics`.
package struct MetricsReport: Sendable {
  package enum Format: String, Sendable, CaseIterable { case table, json, prometheus }

  /// Where the metrics come from.
  package enum Origin: Sendable, Hashable {
    /// A running player.
    case running
    /// The file that the last player saved, at a time in seconds since 1970.
    case saved(at: Double)
    /// A drill that has just been run.
    case drill(QueueBenchmark)
  }

  package var metrics: QueueMetrics
  package var origin: Origin

  package init(metrics: QueueMetrics, origin: Origin) {
    self.metrics = metrics
    self.origin = origin
  }

  /// The report with a line feed at its end.
  package func text(in format: Format) -> String {
    switch format {
    case .table: table
    case .json: json.description + "\n"
    case .prometheus: exposition
    }
  }

  /// The origin, followed by the members of the metrics.
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
