import Engine
import Signal

/// Reads the meaning of one session file; goes on after every problem, so that all of them are told at once.
///
/// What can't be read has a stand-in until the end: with any error there is no session.
struct SessionParser {
  let catalogue: [GeneratorDescription]
  /// Absolute; relative sound paths begin here.
  let folder: String
  let home: String?
  var problems: Problems
  /// Names from `sounds`; nil for one whose definition is in error, which is told once.
  var sounds: [String: Session.Sound?] = [:]
  var usedSounds: Set<String> = []
  /// What commands refer to; nil while a session is read.
  var scope: CommandScope?
  /// False for commands that are read away from their session: any word may name a sound then.
  var knowsNames = true

  mutating func report(_ place: Place, _ problem: String, mend: String) {
    problems.error(place, problem, mend: mend)
  }
}

/// The keys of one group, each with its place.
struct Fields {
  let place: Place
  /// What a message calls the group, as in "a stage".
  let name: String
  private(set) var entries: [String: Markup.Entry] = [:]

  init(_ node: Markup, name: String) {
    place = node.place
    self.name = name
  }

  subscript(key: String) -> Markup? { entries[key]?.value }

  func place(of key: String) -> Place { entries[key]?.place ?? place }

  mutating func remove(_ key: String) { entries[key] = nil }

  mutating func fill(_ key: String, from entry: Markup.Entry) {
    if entries[key] == nil { entries[key] = entry }
  }

  mutating func add(_ entry: Markup.Entry) -> Markup.Entry? {
    if let first = entries[entry.key] { return first }
    entries[entry.key] = entry
    return nil
  }
}

extension SessionParser {
  /// The keys of a group, with unknown, repeated and missing ones reported; nil when it is no group.
  ///
  /// - Parameter main: the key that someone means who writes its value alone.
  mutating func fields(
    _ node: Markup, _ name: String, keys: [String], required: [String] = [], main: String? = nil
  ) -> Fields? {
    guard var fields = anyFields(node, name, main: main) else { return nil }
    check(&fields, of: name, keys: keys, required: required)
    return fields
  }

  /// Reports unknown and missing keys. A mistyped one isn't missing, and its value may be wrong as well.
  ///
  /// - Parameter others: known, but not worth telling.
  mutating func check(
    _ fields: inout Fields, of name: String, keys: [String], besides others: [String] = [], required: [String]
  ) {
    let unknown = fields.entries.values.filter { !(keys + others).contains($0.key) }.sorted { $0.place < $1.place }
    for entry in unknown {
      if keys.contains("sound"), fields["sound"] == nil, reportOrigin(entry, in: name) {
        fields.fill("sound", from: entry.inGroup)
        continue
      }
      reportUnknown(entry, in: name, keys: keys)
      if let meant = Suggestion.nearest(to: entry.key, among: keys) { fields.fill(meant, from: entry) }
    }
    for key in required where fields[key] == nil {
      report(fields.place, "\(name) has no '\(key)'", mend: key == "prosper" ? "add \"prosper\": 1" : "add it")
    }
  }

  /// The keys of a group whatever they are called.
  mutating func anyFields(_ node: Markup, _ name: String, main: String? = nil) -> Fields? {
    guard case .map(let entries) = node.content else {
      let example = main.flatMap { key in node.inJSON.map { "write {\"\(key)\": \($0)}" } }
      report(node.place, "\(name) is \(node.kind)", mend: example ?? "write a group of keys and values")
      return nil
    }
    var fields = Fields(node, name: name)
    for entry in entries {
      guard let first = fields.add(entry) else { continue }
      report(
        entry.place, "the key '\(shown(entry.key))' appears twice in \(name), first in line \(first.place.line)",
        mend: "keep one of them")
    }
    return fields
  }

  mutating func reportUnknown(_ entry: Markup.Entry, in name: String, keys: [String]) {
    // The place says where; the group's name belongs to the list of its keys.
    let group = Suggestion.nearest(to: entry.key, among: keys) == nil ? " in \(name)" : ""
    report(
      entry.place, "unknown key '\(shown(entry.key))'\(group)", mend: Suggestion.mend(for: entry.key, among: keys))
  }

  /// The elements of a list; a missing one is empty.
  ///
  /// - Parameter ofWords: whether a single value could be its only element.
  mutating func list(_ node: Markup?, _ name: String, ofWords: Bool = false) -> [Markup] {
    guard let node else { return [] }
    if case .list(let elements) = node.content { return elements }
    let example =
      (ofWords ? node.inJSON : nil).map { ": [\($0)]" }
      ?? ", even for a single item: put [ and ] around it, or '- ' before it"
    report(node.place, "'\(name)' is \(node.kind)", mend: "write a list\(example)")
    return []
  }
}
