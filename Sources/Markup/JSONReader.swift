/// Reads strict JSON and records the position of every value. It accepts nothing that another JSON tool would refuse.
///
/// Duplicate keys are kept; `SessionParser` reports them with both positions. Depth and the number of values are
/// limited (`Node.Limit`), so that hostile input can't exhaust the stack or the memory.
package struct JSONReader {
  /// The text in UTF-8.
  var bytes: [UInt8]
  /// The index of the next byte.
  var index = 0
  /// The line and column of the next byte.
  var location = SourceLocation(line: 1, column: 1)
  /// The number of values so far, in all lines of JSON Lines together.
  private var values = 0

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// Reads one value. Stops at the first error, because the structure of the text after it is uncertain.
  package static func read(_ text: String) throws(TextError) -> Node {
    var reader = JSONReader(text)
    reader.skipSpace()
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    if reader.next != nil { throw reader.unexpected("after the end of the JSON value", fix: "remove it") }
    return value
  }

  /// Reads JSON Lines: the values, and the errors of the lines that can't be read. Continues after a malformed line,
  /// because the lines are independent of each other.
  package static func lines(_ text: String) -> (values: [Node], errors: [TextError]) {
    var reader = JSONReader(text)
    var (values, errors) = ([Node](), [TextError]())
    reader.skipSpace()
    // Values that are indented deeper than the first one are probably inside another value.
    let indent = reader.location.column
    while reader.next != nil, reader.values <= Node.Limit.values {
      let start = (reader.index, reader.location)
      do throws(TextError) {
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
  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Advances by one byte, and updates `location`.
  mutating func advance() {
    guard let byte = next else { return }
    index += 1
    location.advance(over: byte, before: next)
  }

  /// Advances by one byte if it is `byte`.
  mutating func take(_ byte: UInt8) -> Bool {
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
  private mutating func value(depth: Int) throws(TextError) -> Node {
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
  private mutating func map(depth: Int) throws(TextError) -> [Node.Entry] {
    var entries: [Node.Entry] = []
    try items(until: "}") { reader throws(TextError) in
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

  private mutating func list(depth: Int) throws(TextError) -> [Node] {
    var elements: [Node] = []
    try items(until: "]") { reader throws(TextError) in elements.append(try reader.value(depth: depth + 1)) }
    return elements
  }

  /// Reads the items between two brackets, separated by commas. The opening bracket is the next byte.
  private mutating func items(
    until closing: Unicode.Scalar, item: (inout JSONReader) throws(TextError) -> Void
  ) throws(TextError) {
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
      if next == end { throw TextError(comma, "a comma before '\(closing)'", fix: "remove the comma") }
    }
  }

  /// The error for an item that neither a comma nor the closing bracket follows.
  private func missing(_ closing: Unicode.Scalar, openedAt opening: SourceLocation) -> TextError {
    guard next == nil else {
      return unexpected(
        "where ',' or '\(closing)' is expected", fix: "separate entries with ',' and end with '\(closing)'")
    }
    return TextError(
      location, "the text ends, but the bracket from line \(opening.line) is not closed", fix: "add '\(closing)'")
  }
}

extension JSONReader {
  /// Reads an unquoted value. The whole word is read before it is checked, so that the error can quote it.
  private mutating func word() throws(TextError) -> String {
    let start = self
    while let byte = next, isWordByte(byte) { advance() }
    let word = String(decoding: bytes[start.index..<index], as: UTF8.self)
    if let error = start.invisible { throw error }
    if Node.isNumber(word) || Node.isFlag(word) || word == "null" { return word }
    if word.isEmpty || word.hasPrefix("/") {
      throw start.unexpected("where a value is expected", fix: "write a value")
    }
    throw TextError(
      start.location, "'\(shown(word))' is not a JSON value",
      fix: "put text in double quotes and write numbers in decimal")
  }

  /// Whether a byte belongs to an unquoted word. Letters and bytes outside ASCII are included, so that an error quotes
  /// the whole word.
  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "+-._:".utf8.contains(byte) || 0x80 <= byte
    }
  }

  /// The error for the next character, which is not allowed here. `context` completes the sentence, as in "where a
  /// value is expected".
  func unexpected(_ context: String, fix: String) -> TextError {
    if let invisible { return invisible }
    return switch next {
    case nil: TextError(location, "the text ends \(context)", fix: "check that it is complete")
    case UInt8(ascii: "/"), UInt8(ascii: "#"):
      TextError(location, "a comment \(context)", fix: "JSON has no comments: remove it, or write the file in YAML")
    case UInt8(ascii: "'"): TextError(location, "a single quote \(context)", fix: "use double quotes")
    default: TextError(location, "'\(nextCharacter)' \(context)", fix: fix)
    }
  }

  /// The error of the next character if it is an invisible one; nil if it is not.
  private var invisible: TextError? {
    let scalar = String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    return scalar.flatMap { InvisibleCharacter($0, at: location) }?.error
  }

  private var nextCharacter: String {
    shown(String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self).prefix(1))
  }
}

extension TextError {
  static func tooMuch(_ location: SourceLocation) -> TextError {
    TextError(
      location,
      "the file exceeds the limit of \(Node.Limit.values) values or \(Node.Limit.depth) levels of nesting",
      fix: "a session needs far fewer: check the file for repeated parts")
  }
}
