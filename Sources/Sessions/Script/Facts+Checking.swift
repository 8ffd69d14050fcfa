import Player

/// How often each event has come.
struct Tally: Sendable, Hashable {
  private var counts: [String: Int] = [:]

  mutating func count(_ event: String) { counts[event, default: 0] += 1 }

  subscript(event: String) -> Int { counts[event] ?? 0 }

  /// Only those that came after an earlier tally.
  func since(_ earlier: Tally) -> Tally {
    var rest = self
    for (event, count) in earlier.counts { rest.counts[event] = self[event] - count }
    return rest
  }
}

extension Facts {
  /// Whether all of it holds; numbers have been reached when they are as large.
  func isReached(at moment: PlayerMoment, _ tally: Tally, _ outcome: String?) -> Bool {
    isSaid(of: moment, outcome)
      && Self.isReached(progress, moment.progress) && Self.isReached(session, moment.session + Self.rounding)
      && Self.isReached(position, moment.position) && (volume.map { abs($0 - moment.volume) <= 0.000_5 } ?? true)
      && (event.map { ($0.count ?? 1) <= tally[$0.name] } ?? true)
  }

  /// Half of the smallest time that is told: a script's moment is the nearest frame.
  private static let rounding = 0.000_5

  private func isSaid(of moment: PlayerMoment, _ outcome: String?) -> Bool {
    (state == nil || state == moment.state) && (stage == nil || stage == moment.stage)
      && (track == nil || track == moment.track) && (index == nil || index == moment.trackIndex)
      && (self.outcome == nil || self.outcome == outcome)
  }

  private static func isReached(_ wanted: Double?, _ found: Double?) -> Bool {
    guard let wanted else { return true }
    return found.map { wanted <= $0 } ?? false
  }

  /// What is otherwise than expected, each as "expected …, found …".
  func differences(from moment: PlayerMoment, _ tally: Tally, _ outcome: String?, within: Double) -> [String] {
    let texts = [
      Self.difference("state", state, moment.state), Self.difference("stage", stage, moment.stage),
      Self.difference("track", track, moment.track),
      Self.difference("index", index.map(String.init), moment.trackIndex.map(String.init)),
      Self.difference("outcome", self.outcome, outcome),
    ]
    let numbers = [
      Self.difference("progress", progress, moment.progress, within: within),
      Self.difference("session", session, moment.session, within: within),
      Self.difference("position", position, moment.position, within: within),
      Self.difference("volume", volume, moment.volume, within: within),
    ]
    return (texts + numbers + [difference(in: tally)]).compactMap(\.self)
  }

  private static func difference(_ key: String, _ wanted: String?, _ found: String?) -> String? {
    guard let wanted, wanted != found else { return nil }
    return "expected \(key) \(shown(wanted)), found \(found.map { shown($0) } ?? "none")"
  }

  private static func difference(
    _ key: String, _ wanted: Double?, _ found: Double?, within: Double
  ) -> String? {
    guard let wanted else { return nil }
    // A nanosecond more: decimal fractions are not exact.
    if let found, abs(found - wanted) <= within + 1e-9 { return nil }
    let limit = "\(JSONLine.seconds(wanted)) within \(JSONLine.seconds(within))"
    return "expected \(key) \(limit), found \(found.map { JSONLine.seconds($0) } ?? "none")"
  }

  private func difference(in tally: Tally) -> String? {
    guard let event else { return nil }
    let found = tally[event.name]
    if event.count.map({ $0 == found }) ?? (0 < found) { return nil }
    return "expected event \(event.name) \(event.count.map { "\($0) times" } ?? "at least once"), found \(found)"
  }
}
