/// Reads strict JSON and records the position of every value. It accepts nothing that another JSON tool would refuse.
///
/// Duplicate keys are kept; `Fields` reports them with both positions. Depth and the number of values are
/// limited (`Node.Limit`), so that hostile input can't exhaust the stack or the memory.
package struct JSONReader {
  /// The text in UTF-8.
  private var bytes: [UInt8]
  /// The index of the next byte.
  private var index = 0
  /// The place of the next byte.
  private var location: SourceLocation
  /// The number of values so far, in all lines of JSON Lines together.
  private var values = 0
  /// Whether another program has written the text, so that its texts may contain control characters.
  private let isForeign: Bool

  private init(_ text: String, file: String, isForeign: Bool = false) {
    (bytes, location, self.isForeign) = (Array(text.utf8), SourceLocation(file: file), isForeign)
  }

  /// Reads one value. Stops at the first error, because the structure of the text after it is uncertain.
  ///
  /// - Parameter isForeign: whether a program has written it, not a person. Its texts may contain control characters.
  package static func read(_ text: String, file: String, isForeign: Bool = false) throws(Diagnostic) -> Node {
    var reader = JSONReader(text, file: file, isForeign: isForeign)
    reader.skipSpace()
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    if reader.next != nil { throw reader.unexpected("after the end of the JSON value", fix: "remove it") }
    return value
  }

  /// Reads JSON Lines: the values, and the errors of the lines that can't be read. Continues after a malformed line,
  /// because the lines are independent of each other.
  package static func lines(_ text: String, file: String) -> (values: [Node], errors: [Diagnostic]) {
    var reader = JSONReader(text, file: file)
    var (values, errors) = ([Node](), [Diagnostic]())
    reader.skipSpace()
    // Values that are indented deeper than the first one are probably inside another value.
    let indent = reader.location.column
    while reader.next != nil, reader.values <= Node.Limit.values {
      let start = (reader.index, reader.location)
      do throws(Diagnostic) {
        values.append(try reader.value(depth: 0))
      } catch {
        errors.append(error)
        (reader.index, reader.location) = start
        reader.skipLine(toGroupAt: indent)
      }
      reader.skipSpace()
    }
    return (values, errors)
  }

  /// The next byte; nil at the end.
  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Advances by one byte, and updates `location`.
  private mutating func advance() {
    guard let byte = next else { return }
    index += 1
    location.advance(over: byte, before: next)
  }

  /// Advances by one byte if it is `byte`.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    advance()
    return true
  }

  /// Skips to the next line that starts with `{` and is not indented deeper than `column`: probably the next value, and
  /// not a part of the malformed one.
  private mutating func skipLine(toGroupAt column: Int) {
    let line = location.line
    while let byte = next {
      if line < location.line, byte == UInt8(ascii: "{"), location.column <= column { return }
      advance()
    }
  }

  /// Skips the four characters that JSON allows between tokens.
  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { advance() }
  }

  /// Reads a value at a nesting depth, 0 for the outermost one.
  private mutating func value(depth: Int) throws(Diagnostic) -> Node {
    values += 1
    guard depth <= Node.Limit.depth, values <= Node.Limit.values else { throw .tooMuch(location) }
    let start = location
    switch next {
    case UInt8(ascii: "{"): return Node(location: start, content: .map(try map(depth: depth)))
    case UInt8(ascii: "["): return Node(location: start, content: .list(try list(depth: depth)))
    case UInt8(ascii: "\""): return Node(location: start, content: .text(try text()))
    default: return Node(location: start, content: .word(try word()))
    }
  }

  /// Reads an object. Keys are checked by the caller, so duplicates are kept.
  private mutating func map(depth: Int) throws(Diagnostic) -> [Node.Entry] {
    var entries: [Node.Entry] = []
    try items(until: "}") { reader throws(Diagnostic) in
      let location = reader.location
      guard reader.next == UInt8(ascii: "\"") else {
        throw reader.unexpected("where a key is expected", fix: "put keys in double quotes")
      }
      let key = try reader.text()
      reader.skipSpace()
      guard reader.take(UInt8(ascii: ":")) else {
        throw reader.unexpected("after the key '\(shown(key))'", fix: "put ':' between a key and its value")
      }
      reader.skipSpace()
      entries.append(Node.Entry(key: key, location: location, value: try reader.value(depth: depth + 1)))
    }
    return entries
  }

  private mutating func list(depth: Int) throws(Diagnostic) -> [Node] {
    var elements: [Node] = []
    try items(until: "]") { reader throws(Diagnostic) in elements.append(try reader.value(depth: depth + 1)) }
    return elements
  }

  /// Reads the items between two brackets, separated by commas. The opening bracket is the next byte.
  private mutating func items(
    until closing: Unicode.Scalar, item: (inout JSONReader) throws(Diagnostic) -> Void
  ) throws(Diagnostic) {
    let end = UInt8(ascii: closing)
    let opening = location
    advance()
    skipSpace()
    if take(end) { return }
    while true {
      try item(&self)
      skipSpace()
      if take(end) { return }
      let comma = location
      guard take(UInt8(ascii: ",")) else { throw missing(closing, openedAt: opening) }
      skipSpace()
      if next == end { throw Diagnostic(.syntax, comma, "a comma before '\(closing)'", fix: "remove the comma") }
    }
  }

  /// The error for an item that neither a comma nor the closing bracket follows.
  private func missing(_ closing: Unicode.Scalar, openedAt opening: SourceLocation) -> Diagnostic {
    guard next == nil else {
      return unexpected(
        "where ',' or '\(closing)' is expected", fix: "separate entries with ',' and end with '\(closing)'")
    }
    return Diagnostic(
      .syntax, location, "the text ends, but the bracket from line \(opening.line) is not closed",
      fix: "add '\(closing)'")
  }
}

/// Reads quoted text and resolves its escapes. Unlike Yams, it accepts an escaped surrogate pair, which is one
/// character.
extension JSONReader {
  private mutating func text() throws(Diagnostic) -> String {
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
        throw Diagnostic(
          .syntax, location, "a line break or tab inside quoted text", fix: "close the quotes, or write \\n or \\t")
      default:
        result.append(byte)
        advance()
      }
    }
    throw Diagnostic(.syntax, start, "the quotes that open here are never closed", fix: "add '\"' where the text ends")
  }

  /// The text, checked for control characters: escapes can contain some that the check of the file's bytes does not
  /// find.
  private func printable(_ bytes: [UInt8], from start: SourceLocation) throws(Diagnostic) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    if !isForeign { try text.checkPrintable(at: start) }
    return text
  }

  /// The UTF-8 bytes of one escape.
  private mutating func escape() throws(Diagnostic) -> [UInt8] {
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
    default: throw Diagnostic(.syntax, start, "an unknown escape sequence", fix: "write a backslash as \\\\")
    }
  }

  /// The UTF-8 bytes of a `\uXXXX` escape, or of two that form a surrogate pair.
  private mutating func unicodeEscape(from start: SourceLocation) throws(Diagnostic) -> [UInt8] {
    let first = try hexadecimal(from: start)
    if let scalar = Unicode.Scalar(first) { return Array(String(scalar).utf8) }
    // `Unicode.Scalar` accepts everything but surrogates, so this is one half of a pair.
    guard UTF16.isLeadSurrogate(UInt16(first)), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw Diagnostic(.syntax, start, "half of an escaped surrogate pair", fix: "write the character itself")
    }
    let second = try hexadecimal(from: start)
    guard UTF16.isTrailSurrogate(UInt16(second)),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw Diagnostic(.syntax, start, "half of an escaped surrogate pair", fix: "write the character itself") }
    return Array(String(scalar).utf8)
  }

  /// Reads four hexadecimal digits, 0…0xFFFF.
  private mutating func hexadecimal(from start: SourceLocation) throws(Diagnostic) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw Diagnostic(.syntax, start, "'\\u' without four hexadecimal digits", fix: "write it as in \\u00e9")
      }
      value = value << 4 + UInt32(digit)
      advance()
    }
    return value
  }
}

extension JSONReader {
  /// Reads an unquoted value. The whole word is read before it is checked, so that the error can quote it, also if
  /// it contains letters that no value has.
  private mutating func word() throws(Diagnostic) -> String {
    let start = self
    while let byte = next, byte.isWord || "+-._:".utf8.contains(byte) { advance() }
    let word = String(decoding: bytes[start.index..<index], as: UTF8.self)
    if let error = start.invisible { throw error }
    if Node.isNumber(word) || Node.isFlag(word) || word == "null" { return word }
    if word.isEmpty || word.hasPrefix("/") {
      throw start.unexpected("where a value is expected", fix: "write a value")
    }
    throw Diagnostic(
      .syntax, start.location, "'\(shown(word))' is not a JSON value",
      fix: "put text in double quotes and write numbers in decimal")
  }

  /// The error for the next character, which is not allowed here. `context` completes the sentence, as in "where a
  /// value is expected".
  private func unexpected(_ context: String, fix: String) -> Diagnostic {
    if let invisible { return invisible }
    return switch next {
    case nil: Diagnostic(.syntax, location, "the text ends \(context)", fix: "check that it is complete")
    case UInt8(ascii: "/"), UInt8(ascii: "#"):
      Diagnostic(
        .syntax, location, "a comment \(context)", fix: "JSON has no comments: remove it, or write the file in YAML")
    case UInt8(ascii: "'"): Diagnostic(.syntax, location, "a single quote \(context)", fix: "use double quotes")
    default: Diagnostic(.syntax, location, "'\(nextCharacter)' \(context)", fix: fix)
    }
  }

  /// The error of the next character if it is an invisible one; nil if it is not.
  private var invisible: Diagnostic? {
    let scalar = String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    return scalar.flatMap { InvisibleCharacter($0, at: location) }?.error
  }

  private var nextCharacter: String {
    shown(String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self).prefix(1))
  }
}
