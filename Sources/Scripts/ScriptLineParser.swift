import Markup
import Player
import SessionFiles
import Signal
import Sounds

/// Reads the lines of a script.
struct ScriptLineParser {
  private let commands: CommandParser
  private var problems: Problems { commands.problems }

  private static let times = ["at", "after", "when"]
  private static let facts = [
    "state", "progress", "stage", "track", "index", "session", "position", "volume", "event", "title", "count",
    "outcome", "atLeast", "atMost", "since", "overlays",
  ]
  /// How much a number may differ from the expected one if the line has no `within`.
  private static let tolerance = 0.01

  init(_ commands: CommandParser) { self.commands = commands }

  /// Reads one line; nil, with an error reported, if it is not valid.
  ///
  /// - Parameter last: the line before it.
  func line(_ node: Node, after last: Script.Line?) -> Script.Line? {
    guard let fields = Fields(node, "a script line", problems), let time = time(of: fields),
      let act = act(of: fields, besides: ownKeys(fields))
    else { return nil }
    let line = Script.Line(time: time, act: act, location: node.location)
    checkOrder(line, after: last)
    return line
  }

  /// Reports a command at the session's end, and a line that waits for a line there, because neither can be executed.
  private func checkOrder(_ line: Script.Line, after last: Script.Line?) {
    if case .command = line.act, line.time == .end {
      problems.report(
        .conflict, line.location, "a command can't run at the session's end",
        fix: "give it an earlier time, or write 'expect' instead of 'do'")
    }
    guard last?.time == .end else { return }
    switch line.time {
    case .at, .end: break
    case .after, .when:
      problems.report(
        .neverReached, line.location, "this line waits for a line at the session's end, so it is never reached",
        fix: "move it before that line")
    }
  }

  /// The keys of a line that belong to the line itself and not to its command.
  ///
  /// In a line with `after` or `when`, `at` is not the time of the line, so it belongs to the command: a position in a
  /// stage, or an index in the playlist.
  private func ownKeys(_ fields: Fields) -> [String] {
    fields["after"] != nil || fields["when"] != nil ? ["after", "when", "expect"] : ["at", "expect"]
  }

  /// When the line is due: exactly one of `at`, `after` and `when`.
  private func time(of fields: Fields) -> Script.Time? {
    // These two commands have a key `at`.
    let takesAt = ["goto", "playlist"].contains(fields["do"]?.node.string)
    let given = Self.times.filter { fields[$0] != nil && !($0 == "at" && takesAt && ownKeys(fields).contains("after")) }
    guard let key = given.first, let value = fields[key], given.count == 1 else {
      if given.isEmpty, reportMistyped(Self.times, in: fields) { return nil }
      problems.report(
        .conflict, fields.location, "a script line has \(given.isEmpty ? "none" : "several") of 'at', 'after', 'when'",
        fix: "give exactly one of them")
      return nil
    }
    switch key {
    case "at": return value.node.string == "end" ? .end : value.duration.map { .at($0) }
    case "after": return value.duration.map { .after($0) }
    default: return facts(value, "'when'").map { .when($0.facts) }
    }
  }

  /// What the line does: exactly one of `do` and `expect`.
  private func act(of fields: Fields, besides others: [String]) -> Script.Act? {
    switch (fields["do"], fields["expect"]) {
    case (let value?, nil):
      // `do` is either a verb, with the other keys next to it, or a group of its own.
      guard case .map = value.node.content else { return flatCommand(fields, besides: others).map { .command($0) } }
      reportOthers(fields, than: ["do"] + others)
      return Fields(value.node, "a command", problems).flatMap { commands.command($0) }.map { .command($0) }
    case (nil, let value?):
      reportOthers(fields, than: others)
      return facts(value, "'expect'", allows: ["within"]).map { .expect($0.facts, within: $0.within) }
    case (nil, nil):
      if reportMistyped(["do", "expect"], in: fields) { return nil }
      problems.report(
        .missingKey, fields.location, "a script line has neither 'do' nor 'expect'", fix: "add one of them")
    default:
      problems.report(
        .conflict, fields.location(of: "expect"), "a script line has both 'do' and 'expect'", fix: "write two lines")
    }
    return nil
  }

  /// A command whose keys are next to the line's own keys. For a playlist edit, `at` would be ambiguous, so it must be
  /// written as a group.
  private func flatCommand(_ fields: Fields, besides others: [String]) -> Command? {
    guard others.contains("at") else { return commands.command(fields, besides: others) }
    if fields["do"]?.node.string == "playlist", ["insert", "remove"].contains(fields["op"]?.node.string) {
      problems.report(
        .conflict, fields.location(of: "at"), "'at' is the time of this line and can't be the playlist's index as well",
        fix: "write the command as an object, \"do\": {\"do\": \"playlist\", ...}")
      return nil
    }
    return commands.command(fields.without("at"), besides: others)
  }

  /// Reports the first key that is similar to one of `names` and is no other key of a line or of a command.
  ///
  /// - Returns: whether there is one.
  private func reportMistyped(_ names: [String], in fields: Fields) -> Bool {
    let others = fields.others(than: Self.times + ["do", "expect", "op", "id"] + CommandForm.keys)
    guard let first = others.first(where: { Suggestion.nearest(to: $0.key, among: names) != nil }) else { return false }
    fields.reportUnknown(first, keys: names)
    return true
  }

  /// Reports keys that a line with a command group or an expectation can't have.
  private func reportOthers(_ fields: Fields, than keys: [String]) {
    for entry in fields.others(than: keys) { fields.reportUnknown(entry, keys: keys) }
  }

  /// Reads what a line waits for or expects.
  ///
  /// - Parameter more: keys that are accepted in addition to the facts. A group with only these keys is an error.
  private func facts(
    _ value: Value, _ name: String, allows more: [String] = []
  ) -> (facts: Facts, within: Double)? {
    // Only an event has members, so that they are no suggestions for other keys.
    let isEvent =
      if case .map(let entries) = value.node.content { entries.contains { $0.key == "event" } } else { false }
    let keys = Self.facts + (isEvent ? ScriptWords.members : [])
    guard let fields = value.group(name, keys: keys + more, main: "state") else {
      return nil
    }
    if fields.others(than: more).isEmpty {
      problems.report(
        .missingKey, fields.location, "\(name) has no condition", fix: "add a state, an event or another fact")
    }
    var facts = Facts()
    facts.state = fields["state"]?.word(among: ScriptWords.states)
    facts.stage = commands.stage(fields["stage"])
    facts.isWithoutTrack = Self.isNull(fields["track"])
    facts.track = facts.isWithoutTrack ? nil : fields["track"]?.text
    facts.index = fields["index"]?.index
    facts.progress = fields["progress"].flatMap(share)
    facts.session = fields["session"]?.duration
    facts.position = fields["position"]?.duration
    facts.volume = fields["volume"]?.volume().map { Double($0.linear) }
    facts.outcome = fields["outcome"]?.word(among: ScriptWords.outcomes)
    facts.event = event(fields)
    // With an event, it is a member of it.
    if facts.event == nil { facts.overlays = fields["overlays"].flatMap(titles) }
    facts.event?.takeMembers(from: fields, member)
    facts.leaveOut(facts.event?.members.keys.map(\.self) ?? [])
    let within = fields["within"]?.duration ?? Self.tolerance
    facts.event?.within = within
    return (facts, within)
  }

  /// A list of titles, or one of them.
  private func titles(_ value: Value) -> [String]? {
    let elements = if case .list(let elements) = value.node.content { elements } else { [value.node] }
    let titles = elements.compactMap(\.string)
    if titles.count == elements.count { return titles }
    return value.refused(fix: "write a list of titles, such as [\"talk.flac\"], or [] for none")
  }

  /// Reads an event. `title` and `count` describe it, so they are errors without an `event`; `title` also with an event
  /// that has none.
  private func event(_ fields: Fields) -> Facts.Event? {
    let count = count(fields)
    let title = fields["title"]?.text
    for key in ["count", "title", "atLeast", "atMost", "since"] where fields[key] != nil && fields["event"] == nil {
      problems.report(
        .missingKey, fields.location(of: key), "'\(key)' needs 'event'", fix: "add the 'event' that it describes")
    }
    guard let name = fields["event"]?.word(among: ScriptWords.events) else { return nil }
    if title != nil, !ScriptWords.titledEvents.contains(name) {
      problems.report(
        .conflict, fields.location(of: "title"), "the event '\(name)' has no title",
        fix: "remove 'title'; these have one: \(ScriptWords.titledEvents.joined(separator: ", "))")
    }
    var event = Facts.Event(name: name, title: title, count: count)
    event.countsSinceLine = fields["since"]?.word(among: ["line"]) != nil
    for member in ScriptWords.members { event.members[member] = fields[member].flatMap(self.member) }
    return event
  }

  /// How often an event is expected: exactly, or within `atLeast` and `atMost`.
  private func count(_ fields: Fields) -> ClosedRange<Int>? {
    let most = 1_000_000
    let (exact, least, limit) = (fields["count"], fields["atLeast"], fields["atMost"])
    if let exact, least != nil || limit != nil {
      problems.report(
        .conflict, exact.location, "'count' and a range of it can't be combined", fix: "give only one of them")
      return nil
    }
    if let exact { return exact.wholeNumber(in: 0...most).map { $0...$0 } }
    if least == nil, limit == nil { return nil }
    guard let low = least.map({ $0.wholeNumber(in: 0...most) }) ?? 0,
      let high = limit.map({ $0.wholeNumber(in: 0...most) }) ?? most
    else { return nil }
    if low <= high { return low...high }
    problems.report(.invalidValue, fields.location(of: "atLeast"), "'atLeast' is above 'atMost'", fix: "exchange them")
    return nil
  }

  /// The value of a member of an event.
  private func member(_ value: Value) -> Facts.Event.Member? {
    if let text = value.node.string { return .text(text) }
    if case .word(let word) = value.node.content { return Double(word).map { .number($0) } ?? .word(word) }
    return value.refused("is \(value.node.kind)", fix: "write a text, a number, true or false")
  }

  private static func isNull(_ value: Value?) -> Bool {
    if case .word("null")? = value?.node.content { true } else { false }
  }

  /// A number from 0 to 1.
  private func share(_ value: Value) -> Double? {
    guard let number = value.number() else { return nil }
    return 0...1 ~= number ? number : value.refused(fix: "write a number from 0 to 1")
  }
}
