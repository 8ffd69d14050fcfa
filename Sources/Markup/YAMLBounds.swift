/// Refuses YAML that would take hours to parse: aliases whose content multiplies, and more values than a session needs.
///
/// libyaml limits the nesting depth. Aliases as values are cheap, because `YAMLReader` counts them on each use. Aliases
/// inside a key are expensive: Yams compares keys by their content, which can grow exponentially. A file may therefore
/// contain aliases or complex keys, but not both.
enum YAMLBounds {
  static func check(_ text: String, file: String) throws(Diagnostic) {
    var scan = Scan(location: SourceLocation(file: file))
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() { scan.take(byte) }
    if let location = scan.tooMany { throw .tooMuch(location) }
    if let location = scan.alias, scan.hasComplexKey {
      throw Diagnostic(
        location, "an alias in a file that uses lists, groups or aliases as keys",
        fix: "write plain text keys, and quote text that begins with '*'")
    }
  }

  /// Counts what may be a value, and looks for aliases and complex keys. It works on bytes and does not parse, so the
  /// count is an estimate.
  private struct Scan {
    private var location: SourceLocation
    var alias: SourceLocation?
    var hasComplexKey = false
    var tooMany: SourceLocation?
    private var marks = 0
    private var last: UInt8 = 0x0A
    /// The last byte that is not white space.
    private var lastVisible: UInt8 = 0
    private var isInAlias = false

    init(location: SourceLocation) { self.location = location }

    /// Scans one byte of the text.
    mutating func take(_ byte: UInt8) {
      let isSpace = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
      if isSpace, "-?:".utf8.contains(last) { mark() }
      if [0x0A, UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{")].contains(byte) { mark() }
      if isSpace, last == UInt8(ascii: "?") { hasComplexKey = true }
      if byte == UInt8(ascii: ":"), isInAlias || "]}".utf8.contains(lastVisible) { hasComplexKey = true }
      if byte == UInt8(ascii: "*"), !isWordByte(last) { (alias, isInAlias) = (alias ?? location, true) }
      if [0x0A, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte) { isInAlias = false }
      if !isSpace { lastVisible = byte }
      last = byte
      location.advance(over: byte, before: nil)
    }

    /// Counts one possible value and remembers where the limit was exceeded.
    private mutating func mark() {
      marks += 1
      if marks == Node.Limit.values, tooMany == nil { tooMany = location }
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: 0x80 <= byte
      }
    }
  }
}
