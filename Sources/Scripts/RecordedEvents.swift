import Markup
import Player
import SessionFiles

/// The events to which a script refers, in the order in which they occurred.
struct RecordedEvents: Sendable {
  private struct Entry: Sendable {
    var name: String
    var title: String?
    /// Those of an event of which the script names any.
    var members: [String: Facts.Event.Member] = [:]
    var time: EventTime
  }

  /// The names of the events whose members the script names.
  private let withMembers: Set<String>
  /// The names of the events to record. Others are ignored, so that they use no memory in a long session.
  private let names: Set<String>
  private var entries: ArraySlice<Entry> = []
  /// How many events of each name there were, of all names, for the failures of expectations.
  private var counts: [String: Int] = [:]

  init(of events: [Facts.Event]) {
    names = Set(events.map(\.name))
    withMembers = Set(events.lazy.filter { !$0.members.isEmpty }.map(\.name))
  }

  /// Records an event, if the script refers to its name.
  mutating func note(_ event: StampedEvent) {
    // A command causes two events. Only the outcome counts, so that a script counts each command once.
    if case .command(_, _, .accepted) = event.event { return }
    let name = event.event.name
    counts[name, default: 0] += 1
    guard names.contains(name) else { return }
    let time = EventTime(run: event.run, session: event.session)
    var entry = Entry(name: name, title: event.event.title, time: time)
    if withMembers.contains(name) { entry.members = Self.members(of: event) }
    entries.append(entry)
  }

  /// The members of an event that are no groups, as it is printed.
  private static func members(of event: StampedEvent) -> [String: Facts.Event.Member] {
    guard case .map(let entries)? = try? JSONReader.read(event.json(sequence: 0), file: "").content else { return [:] }
    return entries.reduce(into: [:]) { members, entry in
      switch entry.value.content {
      case .text(let text): members[entry.key] = .text(text)
      case .word(let word): members[entry.key] = Double(word).map { .number($0) } ?? .word(word)
      case .list, .map: break
      }
    }
  }

  /// How many recorded events match the name and, if one is given, the title.
  func count(of event: Facts.Event) -> Int { entries.count { event.matches($0.name, $0.title, $0.members) } }

  /// What occurred instead of an event: events of the same name with other titles, or else those of the same kind, such as
  /// other events of crossfades. Empty if there was nothing.
  func instead(of event: Facts.Event) -> String {
    if !event.members.isEmpty, let last = entries.last(where: { event.isNamed($0.name, $0.title) }) {
      var found = event
      found.members = last.members.filter { event.members.keys.contains($0.key) }
      return "\(event.name)\(found.memberText)"
    }
    var titles: [String] = []
    for title in entries.lazy.filter({ $0.name == event.name }).compactMap(\.title) where !titles.contains(title) {
      titles.append(title)
      if titles.count == 3 { break }
    }
    if !titles.isEmpty { return "\(event.name) of " + titles.map { "'\(shown($0))'" }.joined(separator: ", ") }
    let kind = event.name.prefix { $0 != "." }
    return counts.filter { $0.key != event.name && $0.key.prefix { $0 != "." } == kind }.sorted { $0.key < $1.key }
      .map { "\($0.key) \(counted($0.value, "time"))" }.joined(separator: ", ")
  }

  /// When the last of the required events occurred; nil until all of them have.
  func time(of event: Facts.Event) -> EventTime? {
    let times = entries.lazy.filter { event.matches($0.name, $0.title, $0.members) }.map(\.time)
    return times.dropFirst(max(1, event.count?.lowerBound ?? 1) - 1).first
  }

  /// A copy without the events so far.
  func emptied() -> RecordedEvents {
    var rest = self
    rest.entries = entries[entries.endIndex...]
    return rest
  }

  /// The events that were recorded after `earlier` was copied from this value.
  func since(_ earlier: RecordedEvents) -> RecordedEvents {
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
  /// The moment of an event that occurred a few milliseconds earlier. It differs from this moment in its times and in
  /// the track position.
  func at(_ time: EventTime) -> PlayerMoment {
    var moment = self
    moment.position = position.map { max(0, $0 - (session - time.session)) }
    (moment.run, moment.session) = (time.run, time.session)
    return moment
  }
}

extension Facts.Event {
  /// Whether an event has the name and, if this one states it, the title.
  fileprivate func isNamed(_ name: String, _ title: String?) -> Bool {
    name == self.name && (self.title == nil || self.title == title)
  }

  /// Whether an event has the name, the title and the members of this one, as far as it states them.
  fileprivate func matches(_ name: String, _ title: String?, _ others: [String: Member]) -> Bool {
    guard isNamed(name, title) else { return false }
    return members.allSatisfy { key, value in
      switch (value, others[key]) {
      case (.number(let wanted), .number(let found)?): abs(wanted - found) <= within + 1e-9
      case (_, let found): value == found
      }
    }
  }

  /// The members as they are compared, for messages; empty without any.
  fileprivate var memberText: String {
    members.sorted { $0.key < $1.key }.map { " with \($0.key) \($0.value.text)" }.joined()
  }
}

extension Facts.Event.Member {
  /// The value in a message.
  fileprivate var text: String {
    switch self {
    case .text(let text): "'\(shown(text))'"
    case .number(let number): Spelling.decimal(number, digits: 3)
    case .word(let word): word
    }
  }
}

extension Facts {
  /// Whether every fact holds, as the condition of a `when` line. A number holds from the moment at which it is
  /// reached, because the player checks only every 10 ms and would miss an exact value.
  func isReached(at moment: PlayerMoment, _ recorded: RecordedEvents, _ outcome: CommandOutcome?) -> Bool {
    namesMatch(moment, outcome)
      && Self.isReached(progress, moment.progress) && Self.isReached(session, moment.session + Self.rounding)
      && Self.isReached(position, moment.position) && (volume.map { abs($0 - moment.volume) <= 0.000_5 } ?? true)
      && (event.map { $0.count?.lowerBound == 0 || recorded.time(of: $0) != nil } ?? true)
  }

  /// Half of the resolution of times in events, in seconds. A script's times are rounded to frames, and may be reached
  /// earlier by up to this time.
  private static let rounding = 0.000_5

  /// Whether the facts that are compared for equality hold: names, states, indices, outcomes.
  private func namesMatch(_ moment: PlayerMoment, _ outcome: CommandOutcome?) -> Bool {
    (state == nil || state == moment.state) && (stage == nil || stage == moment.stage)
      && (track == nil || track == moment.track) && (!isWithoutTrack || moment.track == nil)
      && (index == nil || index == moment.trackIndex)
      && (overlays.map { $0.sorted() == moment.overlays.sorted() } ?? true)
      && (self.outcome == nil || self.outcome == outcome?.name)
  }

  private static func isReached(_ wanted: Double?, _ found: Double?) -> Bool {
    guard let wanted else { return true }
    return found.map { wanted <= $0 } ?? false
  }

  /// The facts that don't hold, each as "expected …, found …"; empty if all of them do.
  ///
  /// - Parameter within: how far numbers may differ, in their own unit.
  func differences(
    from moment: PlayerMoment, _ recorded: RecordedEvents, _ outcome: CommandOutcome?, within: Double
  ) -> [String] {
    let texts = [
      Self.difference("state", state, moment.state), Self.difference("stage", stage, moment.stage),
      Self.difference("track", track, moment.track),
      isWithoutTrack ? moment.track.map { "expected no track, found \(shown($0))" } : nil,
      Self.difference("index", index.map(String.init), moment.trackIndex.map(String.init)),
      Self.difference("overlays", overlays.map(Self.list), Self.list(moment.overlays)),
      Self.difference("outcome", self.outcome, outcome?.name).map { $0 + (outcome?.cause ?? "") },
    ]
    let numbers = [
      Self.difference("progress", progress, moment.progress, within: within),
      Self.difference("session", session, moment.session, within: within),
      Self.difference("position", position, moment.position, within: within),
      Self.difference("volume", volume, moment.volume, within: within),
    ]
    return (texts + numbers + [difference(in: recorded)]).compactMap(\.self)
  }

  /// Titles in one text, in alphabetical order.
  private static func list(_ titles: [String]) -> String {
    titles.isEmpty ? "none" : titles.sorted().joined(separator: ", ")
  }

  private static func difference(_ key: String, _ wanted: String?, _ found: String?) -> String? {
    guard let wanted, wanted != found else { return nil }
    return "expected \(key) \(shown(wanted)), found \(found.map { shown($0) } ?? "none")"
  }

  private static func difference(
    _ key: String, _ wanted: Double?, _ found: Double?, within: Double
  ) -> String? {
    guard let wanted else { return nil }
    // The limit is a nanosecond larger, because decimal fractions are not exact in binary.
    if let found, abs(found - wanted) <= within + 1e-9 { return nil }
    let limit = "\(JSONLine.seconds(wanted)) within \(JSONLine.seconds(within))"
    return "expected \(key) \(limit), found \(found.map { JSONLine.seconds($0) } ?? "none")"
  }

  /// An event without a count must have occurred at least once; one with a count, exactly that often.
  private func difference(in recorded: RecordedEvents) -> String? {
    guard let event else { return nil }
    let found = recorded.count(of: event)
    if event.count.map({ $0.contains(found) }) ?? (0 < found) { return nil }
    let name = (event.title.map { "\(event.name) of '\(shown($0))'" } ?? event.name) + event.memberText
    let instead = found == 0 ? recorded.instead(of: event) : ""
    return "expected event \(name) \(event.count.map(Self.times) ?? "at least once"), found \(found)"
      + (instead.isEmpty ? "" : ", but \(instead)")
  }
}

extension Facts {
  private static func times(_ count: ClosedRange<Int>) -> String {
    if count.lowerBound == count.upperBound { return "\(count.lowerBound) times" }
    if count.upperBound == 1_000_000 { return "at least \(count.lowerBound) times" }
    return count.lowerBound == 0
      ? "at most \(count.upperBound) times" : "\(count.lowerBound) to \(count.upperBound) times"
  }
}

extension CommandOutcome {
  /// Why the command was not executed, as an addition to the name of the outcome.
  fileprivate var cause: String {
    switch self {
    case .done, .coalesced: ""
    case .cancelled(let other): " by '\(other)'"
    case .rejected(let error): ": \(error)"
    }
  }
}
