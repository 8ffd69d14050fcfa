/// One value of a session or script file with the place where it begins: what JSON and YAML have in common.
package struct Markup: Sendable {
  package var place: Place
  package var content: Content

  package enum Content: Sendable {
    /// Written in quotes, or as a YAML block: always text, whatever it looks like.
    case text(String)
    /// Written without quotes: a number, `true`, `false` or `null`; in YAML also text.
    case word(String)
    case list([Markup])
    case map([Entry])
  }

  /// A key may stand twice: the readers keep both, so that the reader of meanings can name both places.
  package struct Entry: Sendable {
    package var key: String
    package var place: Place
    package var value: Markup
  }
}

extension Markup {
  /// What a file may hold before it is refused: far beyond any session, far below what would hurt.
  enum Limit {
    static let bytes = 16 << 20
    static let depth = 64
    static let values = 500_000
  }

  /// Whether an unquoted word is a number as JSON writes it; `0x10`, `.5`, `1_000` and `.inf` are not.
  /// By hand, for it judges every word of a file and a regular expression would take seconds.
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

  private static func digits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
    let end = rest.firstIndex { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  static func isNull(_ word: String) -> Bool { ["", "~", "null"].contains(word) }

  static func isFlag(_ word: String) -> Bool { ["true", "false"].contains(word) }

  /// What a message calls it.
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

/// Why a text is no JSON or YAML at all; reading ends at the first one.
package struct TextError: Error, Sendable, Hashable {
  package var place: Place
  package var problem: String
  package var mend: String

  init(_ place: Place, _ problem: String, mend: String) {
    self.place = place
    self.problem = problem
    self.mend = mend
  }
}
