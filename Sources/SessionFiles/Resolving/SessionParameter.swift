package import Markup

/// A parameter of a session: a value that stands in the file once, and can be replaced when the session is read.
public struct SessionParameter: Sendable, Hashable {
  /// The name.
  public var name: String
  /// What it means; nil if the file does not say it.
  public var summary: String?
  /// The value that it has if none is given, as text; nil if one must be given.
  public var standard: String?
  /// The values that it can have, as text; empty if it can have any.
  public var choices: [String]
  /// The value that it has, as text; nil if it has none, or none that is valid.
  public var value: String?
  /// The position of its name in the file.
  package var location: SourceLocation
}

/// A parameter as a file declares it.
struct ParameterDeclaration {
  var name: String
  var location: SourceLocation
  /// The value that it has if none is given; nil if one must be given.
  var standard: Node?
  var summary: String?
  /// The values that it can have; empty if it can have any.
  var choices: [Node]

  /// Reads a declaration: the default value alone, or a group of keys. Problems are reported.
  init(_ entry: Node.Entry, _ problems: Problems) {
    (name, location, choices) = (entry.key, entry.location, [])
    if !Self.isName(name) {
      problems.report(
        .invalidValue, location, "'\(shown(name))' can't be the name of a parameter",
        fix: "begin with a letter, and use only letters, digits, '-' and '_'")
    }
    guard case .map = entry.value.content else {
      standard = Self.value(entry.value)
      return
    }
    guard
      let fields = Fields(entry.value, "a parameter", keys: ["default", "description", "values"], problems)
    else { return }
    summary = fields["description"]?.text
    standard = fields["default"].flatMap { value in
      if case .map = value.node.content { return value.refused(fix: "write text, a number or a list") }
      return Self.value(value.node)
    }
    choices = (fields["values"]?.elements(ofWords: true) ?? []).filter { choice in
      if choice.plainText != nil { return true }
      problems.report(
        .invalidValue, choice.location, "a value of the parameter '\(shown(name))' is \(choice.kind)",
        fix: "write text or a number")
      return false
    }
  }

  /// A value; nil for an empty one, which means that there is no default.
  private static func value(_ node: Node) -> Node? {
    if case .word(let word) = node.content, Node.isNull(word) { return nil }
    return node
  }

  private static func isName(_ name: String) -> Bool {
    let isLetter = { (character: Character) in character.isASCII && character.isLetter }
    return name.first.map(isLetter) ?? false && name.count <= 64
      && name.allSatisfy { isLetter($0) || $0.isASCII && $0.isNumber || "-_".contains($0) }
  }

  /// Whether another file declares the same.
  func isSame(as other: ParameterDeclaration) -> Bool {
    let equal = { (a: Node?, b: Node?) in a?.meaning == b?.meaning }
    return location.isSamePlace(as: other.location)
      || equal(standard, other.standard) && summary == other.summary
        && choices.map(\.meaning) == other.choices.map(\.meaning)
  }

  /// The choice that a value means; the value itself if it can have any; nil if it is none of them.
  func choice(for value: Node) -> Node? {
    guard !choices.isEmpty else { return value }
    guard var choice = choices.first(where: { $0.plainText == value.plainText && value.plainText != nil }) else {
      return nil
    }
    choice.location = value.location
    return choice
  }
}

extension Node {
  /// What a value means to the session format, without its place: two values with the same meaning can stand for each
  /// other.
  enum Meaning: Hashable {
    case text(String)
    case word(String)
    case list([Meaning])
    case map([String: [Meaning]])
  }

  var meaning: Meaning {
    switch content {
    case .text, .word:
      if let string { return .text(string) }
      let word = plainText ?? ""
      return .word(Node.isNull(word) ? "null" : word)
    case .list(let elements): return .list(elements.map(\.meaning))
    case .map(let entries):
      return .map(Dictionary(entries.map { ($0.key, [$0.value.meaning]) }) { $0 + $1 })
    }
  }
}
