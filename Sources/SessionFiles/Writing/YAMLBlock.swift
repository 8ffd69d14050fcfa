import Engine
import Markup

/// A text of several lines as a literal block of YAML, in which each line is as it is in the text.
struct YAMLBlock {
  /// What stands after the key: `|`, or `|-` if the text does not end with a line end.
  let sign: String
  /// The lines, without their indentation.
  let lines: [Substring]

  /// Nil for a text of one line, and for one that a block would change: with spaces at the beginning or alone on a line,
  /// with several line ends at its end, or with characters that need an escape.
  init?(_ text: String) {
    let hasEnd = text.hasSuffix("\n")
    let lines = (hasEnd ? text.dropLast() : text[...]).split(separator: "\n", omittingEmptySubsequences: false)
    guard text.contains("\n"), let first = lines.first?.first, !first.isWhitespace, lines.last?.isEmpty == false,
      lines.allSatisfy({ $0.isEmpty || !$0.allSatisfy(\.isWhitespace) }),
      !text.unicodeScalars.contains(where: Self.isSpecial)
    else { return nil }
    (sign, self.lines) = (hasEnd ? "|" : "|-", lines)
  }

  /// Whether a value contains a text that becomes a block, so that it can't stand on one line.
  static func isNeeded(for value: Node) -> Bool {
    switch value.content {
    case .text(let text): YAMLBlock(text) != nil
    case .word: false
    case .list(let elements): elements.contains(where: isNeeded)
    case .map(let entries): entries.contains { isNeeded(for: $0.value) }
    }
  }

  /// Whether a block can't contain a character, or YAML takes it for a line end.
  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x2029, 0xFEFF, 0xFFFE...0xFFFF: true
    default: scalar.isControl
    }
  }
}
