import Markup
import Player
import SessionFiles
import Signal

/// Reads the lines of a script.
extension SessionParser {
  private static let times = ["at", "after", "when"]
  /// How much a number may differ from the expected one if the line has no `within`.
  private static let tolerance = 0.01

  /// Reads one line; nil, with an error reported, if it is not valid.
  mutating func scriptLine(_ node: Node) -> Script.Line? {
    guard let fields = anyFields(node, "a script line"), let time = time(of: fields),
      let act = act(of: fields, besides: ownKeys(fields))
    else { return nil }
    return Script.Line(time: time, act: act, location: "\(problems.path):\(node.location.line):\(node.location.column)")
  }

  /// The keys of a line that belong to the line itself and not to its command.
  ///
  /// In a line with `after` or `when`, `at` is not the time of the line, so it belongs to the command: a position in a
  /// stage, or an index in the playlist.
  private func ownKeys(_ fields: Fields) -> [String] {
    fields["after"] != nil || fields["when"] != nil ? ["after", "when", "expect"] : ["at", "expect"]
  }

  /// When the line is due: exactly one of `at`, `after` and `when`.
  private mutating func time(of fields: Fields) -> Script.Time? {
    // These two commands have a key `at`.
    let takesAt = ["goto", "playlist"].contains(fields["do"]?.string)
    let given = Self.times.filter { fields[$0] != nil && !($0 == "at" && takesAt && ownKeys(fields).contains("after")) }
    guard let key = given.first, let node = fields[key], given.count == 1 else {
      if given.isEmpty, reportMistyped(Self.times, in: fields) { return nil }
      report(
        fields.location, "a script line has \(given.isEmpty ? "none" : "several") of 'at', 'after', 'when'",
        fix: "give exactly one of them")
      return nil
    }
    switch key {
    case "at": return node.string == "end" ? .end : duration(node, "at").map { .at($0) }
    case "after": return duration(node, "after").map { .after($0) }
    default: return facts(node, "'when'").map { .when($0.facts) }
    }
  }

  /// What the line does: exactly one of `do` and `expect`.
  private mutating func act(of fields: Fields, besides others: [String]) -> Script.Act? {
    switch (fields["do"], fields["expect"]) {
    case (let node?, nil):
      // `do` is either a verb, with the other keys next to it, or a group of its own.
      guard case .map = node.content else { return flatCommand(fields, besides: others).map { .command($0) } }
      reportOthers(fields, than: ["do"] + others)
      guard let group = anyFields(node, "a command") else { return nil }
      return command(group).map { .command($0) }
    case (nil, let node?):
      reportOthers(fields, than: others)
      return facts(node, "'expect'", allows: ["within"]).map { .expect($0.facts, within: $0.within) }
    case (nil, nil) where reportMistyped(["do", "expect"], in: fields): break
    case (nil, nil): report(fields.location, "a script line has neither 'do' nor 'expect'", fix: "add one of them")
    default: report(fields.location(of: "expect"), "a script line has both 'do' and 'expect'", fix: "write two lines")
    }
    return nil
  }

  /// A command whose keys are next to the line's own keys. For a playlist edit, `at` would be ambiguous, so it must be
  /// written as a group.
  private mutating func flatCommand(_ fields: Fields, besides others: [String]) -> Command? {
    guard others.contains("at") else { return command(fields, besides: others) }
    if fields["do"]?.string == "playlist", ["insert", "remove"].contains(fields["op"]?.string) {
      report(
        fields.location(of: "at"), "'at' is the time of this line and can't be the playlist's index as well",
        fix: "write the command as an object, \"do\": {\"do\": \"playlist\", ...}")
      return nil
    }
    var own = fields
    own.remove("at")
    return command(own, besides: others)
  }

  /// Reports the first key that is similar to one of `names` and is no other key of a line or of a command.
  ///
  /// - Returns: whether there is one.
  private mutating func reportMistyped(_ names: [String], in fields: Fields) -> Bool {
    let others = Self.times + ["do", "expect", "op", "id"] + CommandForm.keys
    let mistyped = fields.entries.values.filter {
      !others.contains($0.key) && Suggestion.nearest(to: $0.key, among: names) != nil
    }
    guard let first = mistyped.min(by: { $0.location < $1.location }) else { return false }
    reportUnknown(first, in: "a script line", keys: names)
    return true
  }

  /// Reports keys that a line with a command group or an expectation can't have.
  private mutating func reportOthers(_ fields: Fields, than keys: [String]) {
    for entry in fields.entries.values where !keys.contains(entry.key) {
      reportUnknown(entry, in: "a script line", keys: keys)
    }
  }
}

/// Reads what a line waits for or expects.
extension SessionParser {
  private static let facts = [
    "state", "progress", "stage", "track", "index", "session", "position", "volume", "event", "title", "count",
    "outcome",
  ]

  /// Reads a group of facts.
  ///
  /// - Parameter more: keys that are accepted in addition to the facts. A group with only these keys is an error.
  private mutating func facts(
    _ node: Node, _ name: String, allows more: [String] = []
  ) -> (facts: Facts, within: Double)? {
    guard let fields = fields(node, name, keys: Self.facts + more, main: "state") else { return nil }
    if fields.entries.keys.allSatisfy(more.contains) {
      report(fields.location, "\(name) has no condition", fix: "add a state, an event or another fact")
    }
    var facts = Facts()
    facts.state = word(fields["state"], "state", among: ScriptWords.states)
    facts.stage = stageName(fields["stage"])
    facts.track = text(fields["track"], "track")
    facts.index = wholeNumber(fields["index"], "index", in: 0...Limit.cues)
    facts.progress = share(fields["progress"], "progress")
    facts.session = duration(fields["session"], "session")
    facts.position = duration(fields["position"], "position")
    facts.volume = volume(fields["volume"]).map { Double($0.linear) }
    facts.outcome = word(fields["outcome"], "outcome", among: ScriptWords.outcomes)
    facts.event = event(fields)
    let within = duration(fields["within"], "within") ?? Self.tolerance
    return (facts, within)
  }

  /// Reads an event. `title` and `count` describe it, so they are errors without an `event`; `title` also with an event
  /// that has none.
  private mutating func event(_ fields: Fields) -> Facts.Event? {
    let count = wholeNumber(fields["count"], "count", in: 0...1_000_000)
    let title = text(fields["title"], "title")
    for key in ["count", "title"] where fields[key] != nil && fields["event"] == nil {
      report(fields.location(of: key), "'\(key)' needs 'event'", fix: "add the 'event' that it describes")
    }
    guard let name = word(fields["event"], "event", among: ScriptWords.events) else { return nil }
    if title != nil, !ScriptWords.titledEvents.contains(name) {
      report(
        fields.location(of: "title"), "the event '\(name)' has no title",
        fix: "remove 'title'; these have one: \(ScriptWords.titledEvents.joined(separator: ", "))")
    }
    return Facts.Event(name: name, title: title, count: count)
  }

  private mutating func stageName(_ node: Node?) -> String? {
    guard let node, let name = text(node, "stage") else { return nil }
    if let known = scope?.stages, !known.contains(name) {
      report(node.location, "there is no stage '\(shown(name))'", fix: Suggestion.fix(for: name, among: known))
    }
    return name
  }

  /// A number from 0 to 1.
  private mutating func share(_ node: Node?, _ key: String) -> Double? {
    guard let node, let number = number(node, key) else { return nil }
    if 0...1 ~= number { return number }
    report(node.location, "'\(key)' is \(node.found)", fix: "write a number from 0 to 1")
    return nil
  }

  /// A text that must be one of `words`.
  private mutating func word(_ node: Node?, _ key: String, among words: [String]) -> String? {
    guard let node, let text = text(node, key) else { return nil }
    if words.contains(text) { return text }
    report(node.location, "'\(key)' is '\(shown(text))'", fix: Suggestion.fix(for: text, among: words))
    return nil
  }
}
