import Engine
import Files
import Sounds

/// A character as `U+XXXX`.
package func name(of scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

/// A text for error messages: on one line, without control characters and passwords, at most `length` scalars long.
package func shown(_ text: some StringProtocol, upTo length: Int = 80) -> String {
  let text = SoundSource.withoutCredentials(String(text))
  var result = ""
  for scalar in text.unicodeScalars.prefix(length) {
    if scalar.isByte {
      result += "\u{FFFD}"
    } else if scalar.isControl {
      result += "<\(name(of: scalar))>"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return text.unicodeScalars.count > length ? result + "…" : result
}

extension String {
  /// Throws if the text contains control characters that were written as escapes. Line breaks and tabs are allowed,
  /// because descriptions may contain them.
  func checkPrintable(at location: SourceLocation) throws(Diagnostic) {
    guard let scalar = unicodeScalars.first(where: { $0.isControl && !["\n", "\t", "\r"].contains($0) }) else {
      return
    }
    throw Diagnostic(
      .encoding, location, "an escaped control character, \(name(of: scalar)), in this text", fix: "remove it")
  }
}

extension UInt8 {
  /// Whether it is an ASCII letter or digit, or belongs to a character outside of ASCII.
  var isWord: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
      true
    default: false
    }
  }
}
