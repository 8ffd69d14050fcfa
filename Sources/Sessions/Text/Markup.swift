/// One value of a session or script file with the position where it begins: the common form of JSON and YAML.
package struct Markup: Sendable {
  package var location: SourceLocation
  package var content: Content

  package enum Content: Sendable {
    /// Quoted text or a YAML block: always text, whatever it looks like.
    case text(String)
    /// An unquoted word: a number, `true`, `false` or `null`; in YAML also text.
    case word(String)
    case list([Markup])
    case map([Entry])
  }

  /// One key with its value. The readers keep duplicate keys, so that `SessionParser` can report both positions.
  package struct Entry: Sendable {
    package var key: String
    package var location: SourceLocation
    package var value: Markup
  }
}

extension Markup {
  /// The limits of a file: the size in bytes, the nesting depth and the number of values. They are far larger than any
  /// session needs, and far smaller than what would exhaust memory or stack.
  enum Limit {
    static let bytes = 16 << 20
    static let depth = 64
    static let values = 500_000
  }

  /// Whether an unquoted word is a number in JSON notation. `0x10`, `.5`, `1_000` and `.inf` are not.
  ///
  /// The word is scanned without a regular expression, which would take seconds for all words of a large file.
  static func isNumber(_ word: String) -> Bool {
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
  static func isNull(_ word: String) -> Bool { ["", "~", "null"].contains(word) }

  static func isFlag(_ word: String) -> Bool { ["true", "false"].contains(word) }

  /// The name of the value's kind in error messages.
  var kind: String {
    switch content {
    case .text: "text"
    case .list: "a list"
    case .map: "a group of keys"
    case .word(let word) where Markup.isNull(word): "empty"
    case .word(let word) where Markup.isFlag(word): word
    case .word(let word) where Markup.isNumber(word): "a number"
    case .word: "text"
    }
  }
}

/// Why a text is not valid JSON or YAML. Reading ends at the first such error.
package struct TextError: Error, Sendable, Hashable {
  package var location: SourceLocation
  package var problem: String
  package var fix: String

  init(_ location: SourceLocation, _ problem: String, fix: String) {
    self.location = location
    self.problem = problem
    self.fix = fix
  }
}
