import Foundation

/// A summary of a player's events: one short line for each event that matters to a listener.
///
/// Positions, loads, metrics, accepted commands and the steps of a crossfade in progress are omitted. The other events
/// do not depend on how fast sounds are opened.
package struct EventSummary {
  private let events: [[String: Any]]

  /// - Parameter lines: The events as JSON, one per line, as the player prints them.
  package init(_ lines: some Sequence<some StringProtocol>) throws {
    events = try lines.map {
      try JSONSerialization.jsonObject(with: Data(String($0).utf8)) as? [String: Any] ?? [:]
    }.filter(Self.isReported)
  }

  /// Each event with its session time in seconds.
  package var timed: [String] { events.map { "\(Self.word($0["session"])) \(Self.words($0, withNumbers: true))" } }

  /// The events without what differs between live runs: times, and the progress of crossfades.
  package var untimed: [String] { events.map { Self.words($0, withNumbers: false) } }

  private static func isReported(_ event: [String: Any]) -> Bool {
    switch event["event"] as? String ?? "" {
    case "position", "crossfade.progress", "load.started", "load.completed", "metrics": false
    case "command": event["outcome"] as? String != "accepted"
    case "state": event["state"] as? String != "crossfading" || event["previous"] as? String != "crossfading"
    default: true
    }
  }

  /// The keys whose values are included, in this order, if the event has them.
  private static let words = [
    "state", "title", "name", "from", "to", "track", "index", "strategy", "code", "outcome", "reason",
  ]
  private static let numbers = ["progress"]

  private static func words(_ event: [String: Any], withNumbers: Bool) -> String {
    let keys = words + (withNumbers ? numbers : [])
    let said = keys.compactMap { event[$0] }.map(word)
    return ([word(event["event"])] + said).joined(separator: " ")
  }

  private static func word(_ value: Any?) -> String {
    switch value {
    case let text as String: text
    case let number as NSNumber: "\((number.doubleValue * 1_000).rounded() / 1_000)".replacing(/\.0$/, with: "")
    default: ""
    }
  }
}
