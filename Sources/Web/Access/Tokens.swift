/// The tokens of the page.
package struct Tokens: Sendable, Hashable {
  package let control: String
  package let view: String

  /// New tokens of 128 random bits each.
  package init() { (control, view) = (Self.random(), Self.random()) }

  /// Reads `text`; nil if it is anything else.
  package init?(text: String) {
    let lines = text.split(separator: "\n").map(String.init)
    guard lines.count == 2, lines.allSatisfy({ $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
    (control, view) = (lines[0], lines[1])
  }

  /// Both tokens as they are kept, so that a phone is still paired when the player starts again.
  package var text: String { "\(control)\n\(view)\n" }

  private static func random() -> String {
    (0..<32).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
  }
}
