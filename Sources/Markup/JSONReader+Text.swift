import Engine

/// Reads quoted text and resolves its escapes. Unlike Yams, it accepts an escaped surrogate pair, which is one
/// character.
extension JSONReader {
  mutating func text() throws(TextError) -> String {
    let start = location
    var result: [UInt8] = []
    advance()
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        advance()
        return try printable(result, from: start)
      case UInt8(ascii: "\\"): result += try escape()
      // JSON requires control characters in text to be escaped.
      case 0..<0x20:
        throw TextError(
          location, "a line break or tab inside quoted text", fix: "close the quotes, or write \\n or \\t")
      default:
        result.append(byte)
        advance()
      }
    }
    throw TextError(start, "the quotes that open here are never closed", fix: "add '\"' where the text ends")
  }

  /// The text, checked for control characters: escapes can contain some that the check of the file's bytes does not
  /// find.
  private func printable(_ bytes: [UInt8], from start: SourceLocation) throws(TextError) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    try text.checkPrintable(at: start)
    return text
  }

  /// The UTF-8 bytes of one escape.
  private mutating func escape() throws(TextError) -> [UInt8] {
    let start = location
    advance()
    let letter = next
    advance()
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return letter.map { [$0] } ?? []
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return try unicodeEscape(from: start)
    default: throw TextError(start, "an unknown escape sequence", fix: "write a backslash as \\\\")
    }
  }

  /// The UTF-8 bytes of a `\uXXXX` escape, or of two that form a surrogate pair.
  private mutating func unicodeEscape(from start: SourceLocation) throws(TextError) -> [UInt8] {
    let first = try hexadecimal(from: start)
    if let scalar = Unicode.Scalar(first) { return Array(String(scalar).utf8) }
    // `Unicode.Scalar` accepts everything but surrogates, so this is one half of a pair.
    guard UTF16.isLeadSurrogate(UInt16(first)), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw TextError(start, "half of an escaped surrogate pair", fix: "write the character itself")
    }
    let second = try hexadecimal(from: start)
    guard UTF16.isTrailSurrogate(UInt16(second)),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw TextError(start, "half of an escaped surrogate pair", fix: "write the character itself") }
    return Array(String(scalar).utf8)
  }

  /// Reads four hexadecimal digits, 0…0xFFFF.
  private mutating func hexadecimal(from start: SourceLocation) throws(TextError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw TextError(start, "'\\u' without four hexadecimal digits", fix: "write it as in \\u00e9")
      }
      value = value << 4 + UInt32(digit)
      advance()
    }
    return value
  }
}

extension String {
  /// Throws if the text contains control characters that were written as escapes. Line breaks and tabs are allowed,
  /// because descriptions may contain them.
  func checkPrintable(at location: SourceLocation) throws(TextError) {
    guard let scalar = unicodeScalars.first(where: { $0.isControl && !["\n", "\t", "\r"].contains($0) }) else {
      return
    }
    throw TextError(location, "an escaped control character, \(name(of: scalar)), in this text", fix: "remove it")
  }
}
