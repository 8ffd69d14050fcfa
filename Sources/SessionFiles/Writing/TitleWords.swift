import Engine
import Files

extension String {
  /// The words of a text with single spaces between them, without the characters that a session can't contain.
  ///
  /// - Parameter dividers: characters between words, besides spaces and control characters.
  package func titleWords(dividedAt dividers: String = "") -> String {
    let divides = { (scalar: Unicode.Scalar) in
      scalar.properties.isWhitespace || scalar.properties.generalCategory == .control || scalar.isByte
        || dividers.unicodeScalars.contains(scalar)
    }
    // What is invisible is dropped, and does not divide a word.
    let words = unicodeScalars.split(whereSeparator: divides).map { $0.filter { !$0.isUnprintable } }
    return words.filter { !$0.isEmpty }.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
  }
}
