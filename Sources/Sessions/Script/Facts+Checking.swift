import Player

/// The events that a script asks for, as they have come.
struct Tally: Sendable {
  private struct Entry: Sendable {
    var name: String
    var title: String?
    var time: EventTime
  }

  /// Names of events that nobody asks for need no memory.
  private let wanted: Set<String>
  private var entries: ArraySlice<Entry> = []

  init(of wanted: Set<String>) { self.wanted = wanted }

  mutating func note(_ event: StampedEvent) {
    // A command is one event of a script's: what became of it.
    if case .command(_, _, .accepted) = event.event { return }
    let name = event.event.name
    guard wanted.contains(name) else { return }
    let time = EventTime(run: event.run, session: event.session)
    entries.append(Entry(name: name, title: event.event.title, time: time))
  }

  func count(of event: Facts.Event) -> Int { entries.count { $0.name == event.name && event.isTitle($0.title) } }

  /// When the last of those that were waited for came; nil while not all have come.
  func time(of event: Facts.Event) -> EventTime? {
    let times = entries.lazy.filter { $0.name == event.name && event.isTitle($0.title) }.map(\.time)
    return times.dropFirst(max(1, event.count ?? 1) - 1).first
  }

  /// Only those that come from now on.
  func fromHere() -> Tally {
    var rest = self
    rest.entries = entries[entries.endIndex...]
    return rest
  }

  /// Only those that came after an earlier tally.
  func since(_ earlier: Tally) -> Tally {
    var rest = self
    rest.entries = entries[earlier.entries.endIndex...]
    return rest
  }
}

/// The event's own, in seconds.
struct EventTime: Sendable, Hashable {
  var run: Double
  var session: Double
}

extension PlayerMoment {
  /// As it was when an event came, which was a moment before.
  func at(_ time: EventTime) -> PlayerMoment {
    var moment = self
    moment.position = position.map { max(0, $0 - (session - time.session)) }
    (moment.run, moment.session) = (time.run, time.session)
    return moment
  }
}

extension Facts.Event {
  fileprivate func isTitle(_ other: String?) -> Bool { title == nil || title == other }
}

extension Facts {
  /// Whether all of it holds; numbers have been reached when they are as large.
  func isReached(at moment: PlayerMoment, _ tally: Tally, _ outcome: String?) -> Bool {
    isSaid(of: moment, outcome)
      && Self.isReached(progress, moment.progress) && Self.isReached(session, moment.session + Self.rounding)
      && Self.isReached(position, moment.position) && (volume.map { abs($0 - moment.volume) <= 0.000_5 } ?? true)
      && (event.map { $0.count == 0 || tally.time(of: $0) != nil } ?? true)
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
    let found = tally.count(of: event)
    if event.count.map({ $0 == found }) ?? (0 < found) { return nil }
    let name = event.title.map { "\(event.name) of '\(shown($0))'" } ?? event.name
    return "expected event \(name) \(event.count.map { "\($0) times" } ?? "at least once"), found \(found)"
  }
}
