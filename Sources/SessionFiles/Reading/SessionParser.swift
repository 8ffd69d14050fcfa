package import Markup
import Signal
package import Sounds

/// Reads the meaning of one session or script file from its markup.
///
/// The parser continues after every problem, so that one run reports them all. A value that can't be read is replaced
/// by a placeholder; a file with any error yields no session, so no placeholder is ever played.
package struct SessionParser {
  /// The generators that `"generate:NAME"` may name.
  let catalogue: [GeneratorDescription]
  /// The absolute folder at which relative sound paths start.
  let folder: String
  /// The absolute path that replaces the `~` of `~/`.
  let home: String?
  package var problems: Problems
  /// The sounds that have a name. Nil for one whose definition is wrong: the error is reported there, and not at each
  /// use.
  var sounds: [String: Session.Sound?] = [:]
  /// The names that have been referred to, for the warning about unused sounds.
  var usedSounds: Set<String> = []
  /// The session to which commands may refer; nil while a session file is read.
  package var scope: CommandScope?
  /// False for commands that are read without a session: any word may then be the name of a sound.
  var knowsNames = true

  /// - Parameter scope: the session to which commands may refer; its sounds have names.
  package init(
    catalogue: [GeneratorDescription], folder: String, home: String?, problems: Problems, scope: CommandScope? = nil
  ) {
    (self.catalogue, self.folder, self.home, self.problems, self.scope) = (catalogue, folder, home, problems, scope)
    sounds = scope?.sounds.mapValues(Optional.some) ?? [:]
  }

  /// Adds an error. Its texts are evaluated only if it may be listed.
  package mutating func report(
    _ location: SourceLocation, _ problem: @autoclosure () -> String, fix: @autoclosure () -> String
  ) {
    problems.error(location, problem, fix: fix)
  }
}

/// The keys of one group with their positions.
package struct Fields {
  package let location: SourceLocation
  /// How error messages name the group, as in "a stage".
  let name: String
  package private(set) var entries: [String: Node.Entry] = [:]

  init(_ node: Node, name: String) {
    location = node.location
    self.name = name
  }

  package subscript(key: String) -> Node? { entries[key]?.value }

  /// The position of a key, or of the group if the key is missing.
  package func location(of key: String) -> SourceLocation { entries[key]?.location ?? location }

  package mutating func remove(_ key: String) { entries[key] = nil }

  /// Adds an entry under another key, unless that key is present.
  mutating func fill(_ key: String, from entry: Node.Entry) {
    if entries[key] == nil { entries[key] = entry }
  }

  /// Adds an entry; returns the first one instead if its key is already present.
  mutating func add(_ entry: Node.Entry) -> Node.Entry? {
    if let first = entries[entry.key] { return first }
    entries[entry.key] = entry
    return nil
  }
}

extension SessionParser {
  /// The keys of a group; nil, with an error reported, if the value is not a group. Unknown, repeated and missing keys
  /// are reported.
  ///
  /// - Parameter main: the key that the error suggests if the file has only the value, as in `"duck": 0.5`.
  package mutating func fields(
    _ node: Node, _ name: String, keys: [String], required: [String] = [], main: String? = nil
  ) -> Fields? {
    guard var fields = anyFields(node, name, main: main) else { return nil }
    check(&fields, of: name, keys: keys, required: required)
    return fields
  }

  /// Reports unknown and missing keys.
  ///
  /// A mistyped key is read as the most similar valid key. So it is not reported as missing, and errors in its value
  /// are reported, too.
  ///
  /// - Parameter others: keys that are accepted but not listed in the error message.
  mutating func check(
    _ fields: inout Fields, of name: String, keys: [String], besides others: [String] = [], required: [String]
  ) {
    let unknown = fields.entries.values.filter { !(keys + others).contains($0.key) }.sorted {
      $0.location < $1.location
    }
    for entry in unknown {
      if keys.contains("sound"), fields["sound"] == nil, reportOrigin(entry, in: name) {
        fields.fill("sound", from: entry.inGroup)
        continue
      }
      reportUnknown(entry, in: name, keys: keys)
      // Nobody reads what would be reported about the values of the others.
      if !problems.isFull, let meant = Suggestion.nearest(to: entry.key, among: keys) {
        fields.fill(meant, from: entry)
      }
    }
    for key in required where fields[key] == nil {
      report(fields.location, "\(name) has no '\(key)'", fix: key == "prosper" ? "add \"prosper\": 1" : "add it")
    }
  }

  /// The keys of a group without a check of their names; nil, with an error reported, if the value is not a group.
  package mutating func anyFields(_ node: Node, _ name: String, main: String? = nil) -> Fields? {
    guard case .map(let entries) = node.content else {
      let example = node.isFlag ? nil : main.flatMap { key in node.inJSON.map { "write {\"\(key)\": \($0)}" } }
      let start = name == "the session" ? "start from one that 'prosper new' writes" : nil
      report(node.location, "\(name) is \(node.kind)", fix: example ?? start ?? "write a group of keys and values")
      return nil
    }
    var fields = Fields(node, name: name)
    for entry in entries {
      guard let first = fields.add(entry) else { continue }
      report(
        entry.location, "the key '\(shown(entry.key))' appears twice in \(name), first in line \(first.location.line)",
        fix: name == "a script line" && entry.key == "at"
          ? "write a command that has its own 'at' as an object, \"do\": {\"do\": \"goto\", ...}" : "keep one of them")
    }
    return fields
  }

  /// Reports an unknown key. The message names the group only if it lists all keys, not if it suggests a similar one.
  package mutating func reportUnknown(_ entry: Node.Entry, in name: String, keys: [String]) {
    let isSimilar = { Suggestion.nearest(to: entry.key, among: keys) != nil }
    report(
      entry.location, "unknown key '\(shown(entry.key))'\(isSimilar() ? "" : " in \(name)")",
      fix: Suggestion.fix(for: entry.key, among: keys))
  }

  /// The elements of a list; none if the key is missing, or, with an error reported, if the value is not a list.
  ///
  /// - Parameter ofWords: whether the error may suggest the given value as the only element.
  mutating func list(_ node: Node?, _ name: String, ofWords: Bool = false) -> [Node] {
    guard let node else { return [] }
    if case .list(let elements) = node.content { return elements }
    let example =
      (ofWords ? node.inJSON : nil).map { ": [\($0)]" }
      ?? ", even for a single item: put [ and ] around it, or '- ' before it"
    report(node.location, "'\(name)' is \(node.kind)", fix: "write a list\(example)")
    return []
  }
}
