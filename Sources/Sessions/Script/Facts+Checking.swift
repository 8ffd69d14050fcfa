import Player

/// The events that a script refers to, in the order in which they occurred.
struct Tally: Sendable {
  private struct Entry: Sendable {
    var name: String
    var title: String?
    var time: EventTime
  }

  /// The names of the events to record. Others are dropped, so that a long session does not use memory for them.
  private let wanted: Set<String>
  private var entries: ArraySlice<Entry> = []

  init(of wanted: Set<String>) { self.wanted = wanted }

  /// Records an event, if the script refers to its name.
  mutating func note(_ event: StampedEvent) {
    // A command causes two events. Only the outcome counts, so that a script counts each command once.
    if case .command(_, _, .accepted) = event.event { return }
    let name = event.event.name
    guard wanted.contains(name) else { return }
    let time = EventTime(run: event.run, session: event.session)
    entries.append(Entry(name: name, title: event.event.title, time: time))
  }

  /// How many recorded events match the name and, if one is given, the title.
  func count(of event: Facts.Event) -> Int { entries.count { $0.name == event.name && event.isTitle($0.title) } }

  /// When the last of the required events occurred; nil until all of them have.
  func time(of event: Facts.Event) -> EventTime? {
    let times = entries.lazy.filter { $0.name == event.name && event.isTitle($0.title) }.map(\.time)
    return times.dropFirst(max(1, event.count ?? 1) - 1).first
  }

  /// An empty tally that counts the events from now on.
  func fromHere() -> Tally {
    var rest = self
    rest.entries = entries[entries.endIndex...]
    return rest
  }

  /// The events that were recorded after `earlier` was copied from this tally.
  func since(_ earlier: Tally) -> Tally {
    var rest = self
    rest.entries = entries[earlier.entries.endIndex...]
    return rest
  }
}

/// The time of one event, in seconds of the run and of the session.
struct EventTime: Sendable, Hashable {
  var run: Double
  var session: Double
}

extension PlayerMoment {
  /// This moment moved back to the time of an event, which may lie a few milliseconds before it. Only the times and the
  /// track position change.
  func at(_ time: EventTime) -> PlayerMoment {
    var moment = self
    moment.position = position.map { max(0, $0 - (session - time.session)) }
    (moment.run, moment.session) = (time.run, time.session)
    return moment
  }
}

extension Facts.Event {
  /// Whether a title matches; an event without a title matches every title.
  fileprivate func isTitle(_ other: String?) -> Bool { title == nil || title == other }
}

extension Facts {
  /// Whether every fact holds, as the condition of a `when` line. A number holds once it has been reached: the player
  /// looks only every 10 ms and would miss an exact value.
  func isReached(at moment: PlayerMoment, _ tally: Tally, _ outcome: String?) -> Bool {
    isSaid(of: moment, outcome)
      && Self.isReached(progress, moment.progress) && Self.isReached(session, moment.session + Self.rounding)
      && Self.isReached(position, moment.position) && (volume.map { abs($0 - moment.volume) <= 0.000_5 } ?? true)
      && (event.map { $0.count == 0 || tally.time(of: $0) != nil } ?? true)
  }

  /// Half of the resolution of times in events, in seconds. A script's times are rounded to frames, and may be reached
  /// that much early.
  private static let rounding = 0.000_5

  /// Whether the facts that have no order hold: names, states, indices, outcomes.
  private func isSaid(of moment: PlayerMoment, _ outcome: String?) -> Bool {
    (state == nil || state == moment.state) && (stage == nil || stage == moment.stage)
      && (track == nil || track == moment.track) && (index == nil || index == moment.trackIndex)
      && (self.outcome == nil || self.outcome == outcome)
  }

  private static func isReached(_ wanted: Double?, _ found: Double?) -> Bool {
    guard let wanted else { return true }
    return found.map { wanted <= $0 } ?? false
  }

  /// The facts that don't hold, each as "expected …, found …"; empty if all of them do.
  ///
  /// - Parameter within: how far numbers may differ, in their own unit.
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
    // One more nanosecond, because decimal fractions are not exact in binary.
    if let found, abs(found - wanted) <= within + 1e-9 { return nil }
    let limit = "\(JSONLine.seconds(wanted)) within \(JSONLine.seconds(within))"
    return "expected \(key) \(limit), found \(found.map { JSONLine.seconds($0) } ?? "none")"
  }

  /// An event without a count must have occurred at least once; one with a count, exactly that often.
  private func difference(in tally: Tally) -> String? {
    guard let event else { return nil }
    let found = tally.count(of: event)
    if event.count.map({ $0 == found }) ?? (0 < found) { return nil }
    let name = event.title.map { "\(event.name) of '\(shown($0))'" } ?? event.name
    return "expected event \(name) \(event.count.map { "\($0) times" } ?? "at least once"), found \(found)"
  }
}
