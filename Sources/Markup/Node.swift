/// One value of a session or script file with the position where it begins: the common form of JSON and YAML.
package struct Node: Sendable {
  package var location: SourceLocation
  package var content: Content

  package init(location: SourceLocation, content: Content) { (self.location, self.content) = (location, content) }

  package enum Content: Sendable {
    /// Quoted text or a YAML block: always text, whatever it looks like.
    case text(String)
    /// An unquoted word: a number, `true`, `false` or `null`; in YAML also text.
    case word(String)
    case list([Node])
    case map([Entry])
  }

  /// One key with its value. The readers keep duplicate keys, so that `SessionParser` can report both positions.
  package struct Entry: Sendable {
    package var key: String
    package var location: SourceLocation
    package var value: Node

    package init(key: String, location: SourceLocation, value: Node) {
      (self.key, self.location, self.value) = (key, location, value)
    }
  }
}

extension Node {
  /// The limits of a file: the size in bytes, the nesting depth and the number of values. They are far larger than any
  /// session needs, and far smaller than what would exhaust memory or stack.
  package enum Limit {
    package static let bytes = 16 << 20
    package static let depth = 64
    package static let values = 500_000
  }

  /// Whether an unquoted word is a number in JSON notation. `0x10`, `.5`, `1_000` and `.inf` are not.
  ///
  /// The word is scanned without a regular expression, which would take seconds for all words of a large file.
  package static func isNumber(_ word: String) -> Bool {
    var rest = Substring(word).utf8
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let whole = digits(&rest)
    guard 0 < whole.count, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      if digits(&rest).isEmpty { return false }
    }
    guard let exponent = rest.first, exponent | 0x20 == UInt8(ascii: "e") else { return rest.isEmpty }
    rest.removeFirst()
    if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() }
    return !digits(&rest).isEmpty && rest.isEmpty
  }

  /// Removes the leading ASCII digits and returns them.
  private static func digits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
    let end = rest.firstIndex { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  /// Whether an unquoted word means "no value". The empty word is a YAML key without a value.
  package static func isNull(_ word: String) -> Bool { ["", "~", "null"].contains(word) }

  package static func isFlag(_ word: String) -> Bool { ["true", "false"].contains(word) }

  /// The name of the value's kind in error messages.
  package var kind: String {
    switch content {
    case .text: "text"
    case .list: "a list"
    case .map: "a group of keys"
    case .word(let word) where Node.isNull(word): "empty"
    case .word(let word) where Node.isFlag(word): word
    case .word(let word) where Node.isNumber(word): "a number"
    case .word: "text"
    }
  }
}

/// The value as text.
extension Node {
  /// The value as text, with or without quotes; nil for unquoted numbers, `true`, `false` and `null`.
  package var string: String? {
    switch content {
    case .text(let text): text
    case .word(let word) where !Node.isNumber(word) && !Node.isFlag(word) && !Node.isNull(word): word
    default: nil
    }
  }

  /// A single value as it is written, without quotes; nil for groups and lists.
  package var plainText: String? {
    switch content {
    case .text(let text), .word(let text): text
    case .list, .map: nil
    }
  }

  /// A single value in JSON notation, for suggestions; nil for groups, lists and `null`.
  package var inJSON: String? {
    switch content {
    case .word(let word) where Node.isNull(word): nil
    case .word(let word) where Node.isNumber(word) || Node.isFlag(word): shown(word)
    case .word(let text), .text(let text): "\"\(shown(text))\""
    case .list, .map: nil
    }
  }

  package var isFlag: Bool { if case .word(let word) = content { Node.isFlag(word) } else { false } }

  /// The value as an error message quotes it.
  package var found: String {
    switch content {
    case .text(let text): "'\(shown(text))'"
    case .word(let word) where Node.isNull(word): "empty"
    case .word(let word) where Node.isNumber(word) || Node.isFlag(word): shown(word)
    case .word(let word): "'\(shown(word))'"
    default: kind
    }
  }
}

/// Values that are written, and so have no location.
extension Node {
  package static func word(_ word: String) -> Node { Node(location: .none, content: .word(word)) }
  package static func text(_ text: String) -> Node { Node(location: .none, content: .text(text)) }
  package static func list(_ elements: [Node]) -> Node { Node(location: .none, content: .list(elements)) }

  /// A map with its keys in this order. Entries without a value are omitted.
  package static func map(_ entries: [(String, Node?)]) -> Node {
    let written = entries.compactMap { key, value in value.map { Entry(key: key, location: .none, value: $0) } }
    return Node(location: .none, content: .map(written))
  }
}

extension Diagnostic {
  package static func tooMuch(_ location: SourceLocation) -> Diagnostic {
    Diagnostic(
      .tooLarge, location,
      "the file exceeds the limit of \(Node.Limit.values) values or \(Node.Limit.depth) levels of nesting",
      fix: "a session needs far fewer: check the file for repeated parts")
  }
}
