import Yams

/// Reads YAML and records the position of every value.
///
/// Only the structure of Yams' nodes is used, not their types: the session format defines the meaning of `off`, `1:30`,
/// `0x10` and `~`, not a version of YAML.
package enum YAMLReader {
  /// Reads a text.
  ///
  /// - Throws: the first error, with its position.
  package static func read(_ text: String) throws(TextError) -> Node {
    try YAMLBounds.check(text)
    var keys = RepeatedKeys(text)
    let composed: Yams.Node?
    do throws(TextError) { composed = try compose(&keys) } catch {
      throw InvisibleCharacter.cause(of: error, in: text) ?? error
    }
    guard let root = composed else {
      throw TextError(SourceLocation(line: 1, column: 1), "the file is empty", fix: "begin with 'prosper: 1'")
    }
    var walk = YAMLWalk(keys: keys, invisible: InvisibleCharacter.all(in: text))
    return try walk.markup(root, depth: 0)
  }

  /// Parses the text, and parses it again after each repeated key that Yams refuses, with that key made distinct.
  private static func compose(_ keys: inout RepeatedKeys) throws(TextError) -> Yams.Node? {
    do {
      return try Yams.compose(yaml: keys.text, .basic, .default, .utf8)
    } catch YamlError.duplicatedKeysInMapping(let names, let context)
      where keys.makeDistinct(names.first ?? "", at: SourceLocation(context.mark))
    {
      return try compose(&keys)
    } catch let error as YamlError {
      throw TextError(error)
    } catch {
      throw TextError(
        SourceLocation(line: 1, column: 1), "not valid YAML: \(shown("\(error)"))", fix: "check the syntax")
    }
  }
}

/// Converts nodes to markup and counts the values. An alias counts on each use, so that nested aliases can't multiply
/// without limit.
private struct YAMLWalk {
  let keys: RepeatedKeys
  let invisible: [InvisibleCharacter]
  private var values = 0

  init(keys: RepeatedKeys, invisible: [InvisibleCharacter]) { (self.keys, self.invisible) = (keys, invisible) }

  /// Converts a node at a nesting depth, 0 for the root.
  mutating func markup(_ node: Yams.Node, depth: Int) throws(TextError) -> Node {
    let location = SourceLocation(node.mark)
    values += 1
    guard depth <= Node.Limit.depth, values <= Node.Limit.values else { throw .tooMuch(location) }
    switch node {
    case .scalar(let scalar): return Node(location: location, content: try content(scalar, at: location))
    case .sequence(let sequence):
      try refuse(sequence.tag, at: location)
      var elements: [Node] = []
      for element in sequence { elements.append(try markup(element, depth: depth + 1)) }
      return Node(location: location, content: .list(elements))
    case .mapping(let mapping):
      try refuse(mapping.tag, at: location)
      return Node(location: location, content: .map(try entries(mapping, depth: depth)))
    case .alias: throw TextError(location, "an alias without an anchor", fix: "write the value itself")
    }
  }

  /// The keys and values of a mapping, in the order of the file.
  private mutating func entries(_ mapping: Yams.Node.Mapping, depth: Int) throws(TextError) -> [Node.Entry] {
    var entries: [Node.Entry] = []
    for (key, value) in mapping {
      guard case .scalar(let scalar) = key else {
        throw TextError(SourceLocation(key.mark), "a key that is not text", fix: "write a plain text key")
      }
      try scalar.string.checkPrintable(at: SourceLocation(key.mark))
      let hasInvisible = scalar.string.unicodeScalars.contains(where: InvisibleCharacter.isInvisible)
      if scalar.style == .plain, hasInvisible { try refuseInvisible(from: SourceLocation(key.mark)) }
      entries.append(
        Node.Entry(
          key: keys.original(of: scalar.string), location: SourceLocation(key.mark),
          value: try markup(value, depth: depth + 1)))
    }
    return entries
  }

  /// The content of a scalar. Unquoted scalars can be numbers or flags; all others are text.
  private func content(_ scalar: Yams.Node.Scalar, at location: SourceLocation) throws(TextError) -> Node.Content {
    try scalar.string.checkPrintable(at: location)
    guard scalar.style == .plain else { return .text(scalar.string) }
    try refuse(scalar.tag, at: location)
    if InvisibleCharacter.isMisplaced(in: scalar.string) { try refuseInvisible(from: location) }
    return .word(scalar.string)
  }

  /// Refuses the first invisible character at or after a position.
  private func refuseInvisible(from location: SourceLocation) throws(TextError) {
    if let found = invisible.first(where: { location <= $0.location }) { throw found.error }
  }

  /// Refuses explicit tags such as `!!int`, which would change what a value means.
  private func refuse(_ tag: Yams.Tag, at location: SourceLocation) throws(TextError) {
    guard tag.description == Tag.Name.implicit.rawValue else {
      throw TextError(
        location, "the YAML tag '\(shown(tag.description))'", fix: "session files have no tags: remove the tag")
    }
  }
}

extension SourceLocation {
  fileprivate init(_ mark: Mark?) { self.init(line: mark?.line ?? 1, column: mark?.column ?? 1) }
}
