import Foundation
package import Player

/// The metrics that the last run has left behind, in `metrics.json` of the state folder.
package enum SavedMetrics {
  package static let file = "metrics.json"

  /// What stands in the file is not what a run leaves behind.
  package struct Unreadable: Error, Hashable, CustomStringConvertible {
    package var path: String
    package var description: String {
      "\(path) can't be read as metrics; remove it, and the next run writes it anew"
    }
  }

  private struct Stamp: Decodable { var savedAt: Double }

  /// - Parameter time: seconds since 1970.
  package static func save(
    _ metrics: QueueMetrics, at time: Double = Date().timeIntervalSince1970, in folder: StateFolder
  ) throws {
    let report = MetricsReport(metrics: metrics, origin: .saved(at: time))
    try folder.write(report.text(in: .json), to: file)
  }

  /// Nil when no run has left any.
  package static func load(from folder: StateFolder) throws(Unreadable) -> MetricsReport? {
    do {
      guard let text = try folder.read(file) else { return nil }
      let metrics = try parse(text)
      let stamp = try JSONDecoder().decode(Stamp.self, from: Data(text.utf8))
      return MetricsReport(metrics: metrics, origin: .saved(at: stamp.savedAt))
    } catch {
      throw Unreadable(path: folder.file(file))
    }
  }

  /// Reads the JSON object that these metrics are written as; others are ignored.
  package static func parse(_ json: String) throws -> QueueMetrics {
    try JSONDecoder().decode(QueueMetrics.self, from: Data(json.utf8))
  }
}
