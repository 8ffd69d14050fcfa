import Yams

/// Reads YAML and records the position of every value.
///
/// Only the structure of Yams' nodes is used, not their types: the session format defines the meaning of `off`, `1:30`,
/// `0x10` and `~`, not a version of YAML.
package enum YAMLReader {
  /// Reads a text.
  ///
  /// - Throws: the first error, with its position.
  package static func read(_ text: String, file: String) throws(Diagnostic) -> Node {
    try YAMLBounds.check(text, file: file)
    var keys = RepeatedKeys(text, file: file)
    let composed: Yams.Node?
    do throws(Diagnostic) { composed = try compose(&keys) } catch {
      throw InvisibleCharacter.cause(of: error, in: text) ?? error
    }
    guard let root = composed else {
      throw Diagnostic(.empty, SourceLocation(file: file), "the file is empty", fix: "begin with 'prosper: 1'")
    }
    var walk = YAMLWalk(keys: keys, invisible: InvisibleCharacter.all(in: text, file: file))
    return try walk.markup(root, depth: 0)
  }

  /// Parses the text, and parses it again after each repeated key that Yams refuses, with that key made distinct.
  private static func compose(_ keys: inout RepeatedKeys) throws(Diagnostic) -> Yams.Node? {
    do {
      return try Yams.compose(yaml: keys.text, .basic, .default, .utf8)
    } catch YamlError.duplicatedKeysInMapping(let names, let context)
      where keys.makeDistinct(names.first ?? "", at: SourceLocation(context.mark, in: keys.file))
    {
      return try compose(&keys)
    } catch let error as YamlError {
      throw Diagnostic(error, in: keys.file)
    } catch {
      throw Diagnostic(
        .syntax, SourceLocation(file: keys.file), "not valid YAML: \(shown("\(error)"))", fix: "check the syntax")
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
  mutating func markup(_ node: Yams.Node, depth: Int) throws(Diagnostic) -> Node {
    let location = SourceLocation(node.mark, in: keys.file)
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
    case .alias: throw Diagnostic(.syntax, location, "an alias without an anchor", fix: "write the value itself")
    }
  }

  /// The keys and values of a mapping, in the order of the file.
  private mutating func entries(_ mapping: Yams.Node.Mapping, depth: Int) throws(Diagnostic) -> [Node.Entry] {
    var entries: [Node.Entry] = []
    for (key, value) in mapping {
      guard case .scalar(let scalar) = key else {
        throw Diagnostic(
          .syntax, SourceLocation(key.mark, in: keys.file), "a key that is not text", fix: "write a plain text key")
      }
      try scalar.string.checkPrintable(at: SourceLocation(key.mark, in: keys.file))
      let hasInvisible = scalar.string.unicodeScalars.contains(where: InvisibleCharacter.isInvisible)
      if scalar.style == .plain, hasInvisible { try refuseInvisible(from: SourceLocation(key.mark, in: keys.file)) }
      entries.append(
        Node.Entry(
          key: keys.original(of: scalar.string), location: SourceLocation(key.mark, in: keys.file),
          value: try markup(value, depth: depth + 1)))
    }
    return entries
  }

  /// The content of a scalar. Unquoted scalars can be numbers or flags; all others are text.
  private func content(_ scalar: Yams.Node.Scalar, at location: SourceLocation) throws(Diagnostic) -> Node.Content {
    try scalar.string.checkPrintable(at: location)
    guard scalar.style == .plain else { return .text(scalar.string) }
    try refuse(scalar.tag, at: location)
    if InvisibleCharacter.isMisplaced(in: scalar.string) { try refuseInvisible(from: location) }
    return .word(scalar.string)
  }

  /// Refuses the first invisible character at or after a position.
  private func refuseInvisible(from location: SourceLocation) throws(Diagnostic) {
    if let found = invisible.first(where: { location <= $0.location }) { throw found.error }
  }

  /// Refuses explicit tags such as `!!int`, which would change what a value means.
  private func refuse(_ tag: Yams.Tag, at location: SourceLocation) throws(Diagnostic) {
    guard tag.description == Tag.Name.implicit.rawValue else {
      throw Diagnostic(
        .syntax, location, "the YAML tag '\(shown(tag.description))'", fix: "session files have no tags: remove the tag"
      )
    }
  }
}

extension Diagnostic {
  /// Adds a position and a way to fix it to an error of Yams.
  fileprivate init(_ error: YamlError, in file: String) {
    switch error {
    case .scanner(let context?, "found unexpected end of stream", _, _) where context.text.contains("quoted scalar"):
      let location = SourceLocation(context.mark, in: file)
      self.init(.syntax, location, "not valid YAML: the quotes that open here are never closed", fix: "close them")
    case .scanner(_, let problem, let mark, let text), .parser(_, let problem, let mark, let text),
      .composer(_, let problem, let mark, let text):
      let location = SourceLocation(mark, in: file)
      if problem.contains("nesting level") {
        self = .tooMuch(location)
        return
      }
      // libyaml's text continues a sentence that Yams does not keep.
      let isSecond = problem.contains("another document")
      self.init(
        .syntax, location, isSecond ? "a second document begins here" : "not valid YAML: \(shown(problem))",
        fix: Self.fix(for: problem, hasParameter: text.line(location.line).contains("${")))
    // Only for keys that `RepeatedKeys` could not replace.
    case .duplicatedKeysInMapping(let keys, let context):
      let location = SourceLocation(context.mark, in: file)
      self.init(
        .duplicateKey, location, "the key '\(shown(keys.first ?? ""))' appears twice in one group of keys, first here",
        fix: "keep one of them")
    default:
      self.init(
        .syntax, SourceLocation(file: file), "not valid YAML: \(shown("\(error)", upTo: 120))", fix: "check the syntax")
    }
  }

  /// How to fix the errors of libyaml that occur most often, recognized by their English text.
  ///
  /// - Parameter hasParameter: whether a parameter is used in the line.
  private static func fix(for problem: String, hasParameter: Bool) -> String {
    if hasParameter, problem.contains("did not find expected") {
      return "put a parameter within brackets or braces in quotes, as in [\"${NAME}\"]"
    }
    if problem.contains("cannot start any token") {
      return "indent with spaces, and put text with special characters in quotes"
    }
    if problem.contains("another document") { return "write one session per file" }
    if problem.contains("mapping values are not allowed") {
      return "check the indentation, and quote text that contains ': '"
    }
    if problem.contains("undefined alias") { return "put text that begins with '*' in quotes" }
    return "check indentation, brackets and quotes"
  }
}

extension SourceLocation {
  fileprivate init(_ mark: Mark?, in file: String) {
    self.init(file: file, line: max(1, mark?.line ?? 1), column: max(1, mark?.column ?? 1))
  }
}

extension String {
  /// The line with a number, counted from 1; empty if there is none.
  fileprivate func line(_ number: Int) -> Substring {
    let lines = split(separator: "\n", maxSplits: number, omittingEmptySubsequences: false)
    return lines.indices.contains(number - 1) ? lines[number - 1] : ""
  }
}
