import Foundation
package import ProsperKit

/// The metrics of the last run, in `metrics.json` in the state folder.
package enum SavedMetrics {
  package static let file = "metrics.json"

  /// The file does not contain metrics.
  package struct Unreadable: Error, Hashable, CustomStringConvertible {
    package var path: String
    package var description: String {
      "\(path) can't be read as metrics; remove it; the next run writes a new one"
    }
  }

  private struct Stamp: Decodable { var savedAt: Double }

  /// - Parameter time: when the metrics are saved, in seconds since 1970.
  package static func save(
    _ metrics: QueueMetrics, at time: Double = Date().timeIntervalSince1970, in folder: StateFolder
  ) throws {
    let report = MetricsReport(metrics: metrics, origin: .saved(at: time))
    try folder.write(report.text(in: .json), to: file)
  }

  /// The saved metrics; nil if no run has saved any.
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

  /// Reads metrics from the JSON object that `save` writes. Unknown members are ignored.
  package static func parse(_ json: String) throws -> QueueMetrics {
    try JSONDecoder().decode(QueueMetrics.self, from: Data(json.utf8))
  }
}
