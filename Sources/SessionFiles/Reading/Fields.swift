package import Markup

/// The keys of one group, with their positions.
package struct Fields {
  package let location: SourceLocation
  /// How error messages name the group, as in "a stage".
  private let name: String
  package let problems: Problems
  package private(set) var entries: [String: Node.Entry] = [:]

  /// The keys of a group without a check of their names; nil, with an error reported, if the value is not a group.
  /// Repeated keys are reported.
  ///
  /// - Parameter main: the key that the error suggests if the file has only the value, as in `"duck": 0.5`.
  package init?(_ node: Node, _ name: String, main: String? = nil, _ problems: Problems) {
    (location, self.name, self.problems) = (node.location, name, problems)
    guard case .map(let entries) = node.content else {
      let example = node.isFlag ? nil : main.flatMap { key in node.inJSON.map { "write {\"\(key)\": \($0)}" } }
      let start = name == "the session" ? "start from an example" : nil
      problems.report(
        .invalidValue, location, "\(name) is \(node.kind)", fix: example ?? start ?? "write a group of keys and values")
      return nil
    }
    for entry in entries { add(entry) }
  }

  /// The keys of a group; nil, with an error reported, if the value is not a group. Unknown, repeated and missing keys
  /// are reported.
  package init?(
    _ node: Node, _ name: String, keys: [String], required: [String] = [], main: String? = nil, _ problems: Problems
  ) {
    self.init(node, name, main: main, problems)
    check(keys: keys, required: required)
  }

  private mutating func add(_ entry: Node.Entry) {
    guard let first = entries[entry.key] else { return entries[entry.key] = entry }
    problems.report(
      .duplicateKey, entry.location,
      "the key '\(shown(entry.key))' appears twice in \(name), first in line \(first.location.line)",
      fix: name == "a script line" && entry.key == "at"
        ? "write a command that has its own 'at' as an object, \"do\": {\"do\": \"goto\", ...}" : "keep one of them")
  }

  package subscript(key: String) -> Value? { entries[key].map { Value($0.value, of: key, problems) } }

  /// The position of a key, or of the group if the key is missing.
  package func location(of key: String) -> SourceLocation { entries[key]?.location ?? location }

  /// The entries with other keys than these, in order of position.
  package func others(than keys: [String]) -> [Node.Entry] {
    entries.values.filter { !keys.contains($0.key) }.sorted { $0.location < $1.location }
  }

  /// The fields without one of them.
  package func without(_ key: String) -> Fields {
    var rest = self
    rest.entries[key] = nil
    return rest
  }

  /// Reports unknown and missing keys.
  ///
  /// A mistyped key is read as the most similar valid key. So it is not reported as missing, and errors in its value
  /// are reported, too.
  ///
  /// - Parameter others: keys that are accepted but not listed in the error message.
  mutating func check(as name: String? = nil, keys: [String], besides others: [String] = [], required: [String]) {
    let name = name ?? self.name
    for entry in self.others(than: keys + others) {
      if keys.contains("sound"), entries["sound"] == nil, let fix = OriginReader.fix(ofOrigin: entry) {
        problems.report(.unknownKey, entry.location, "unknown key '\(entry.key)' in \(name)", fix: fix)
        // The misplaced origin is read as if it were in a `sound` group.
        let group = Node(location: entry.value.location, content: .map([entry]))
        entries["sound"] = Node.Entry(key: entry.key, location: entry.location, value: group)
        continue
      }
      reportUnknown(entry, in: name, keys: keys)
      // Nobody reads what would be reported about the values of the others.
      if !problems.isFull, let meant = Suggestion.nearest(to: entry.key, among: keys), entries[meant] == nil {
        entries[meant] = entry
      }
    }
    for key in required where entries[key] == nil {
      problems.report(
        .missingKey, location, "\(name) has no '\(key)'", fix: key == "prosper" ? "add \"prosper\": 1" : "add it")
    }
  }

  /// Reports an unknown key. The message names the group only if it lists all keys, not if it suggests a similar one.
  package func reportUnknown(_ entry: Node.Entry, in name: String? = nil, keys: [String]) {
    let isSimilar = { Suggestion.nearest(to: entry.key, among: keys) != nil }
    problems.report(
      .unknownKey, entry.location, "unknown key '\(shown(entry.key))'\(isSimilar() ? "" : " in \(name ?? self.name)")",
      fix: Suggestion.fix(for: entry.key, among: keys))
  }
}
