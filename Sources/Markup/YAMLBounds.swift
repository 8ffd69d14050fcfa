/// Refuses YAML that would take hours to parse: aliases whose content multiplies, and more values than a session needs.
///
/// libyaml limits the nesting depth. Aliases as values are cheap, because `YAMLReader` counts them on each use. Aliases
/// inside a key are expensive: Yams compares keys by their content, which can grow exponentially. A file may therefore
/// contain aliases or complex keys, but not both.
///
/// The scan works on bytes and does not parse: it also looks into quotes and comments, and the number of values is an
/// estimate. What looks like an alias only counts if something before it looks like its anchor, because libyaml refuses
/// other aliases.
struct YAMLBounds {
  private var location: SourceLocation
  private var alias: SourceLocation?
  private var hasComplexKey = false
  /// Where the limit of values was exceeded.
  private var tooMany: SourceLocation?
  private var marks = 0
  private var last: UInt8 = 0x0A
  /// The last byte that is not white space.
  private var lastVisible: UInt8 = 0
  private var isInAlias = false
  /// Bytes of the name that is being read, of an anchor or an alias.
  private var name: [UInt8] = []
  private var naming: Naming?
  private var anchors: Set<[UInt8]> = []
  /// Where the alias begins whose name is being read.
  private var start: SourceLocation

  private enum Naming { case anchor, alias }

  static func check(_ text: String, file: String) throws(Diagnostic) {
    var scan = YAMLBounds(location: SourceLocation(file: file))
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() { scan.take(byte) }
    scan.endName()
    if let location = scan.tooMany { throw .tooMuch(location) }
    if let location = scan.alias, scan.hasComplexKey {
      throw Diagnostic(
        .syntax, location, "an alias in a file that uses lists, groups or aliases as keys",
        fix: "write plain text keys, and quote text that begins with '*'")
    }
  }

  private init(location: SourceLocation) { (self.location, start) = (location, location) }

  /// Scans one byte of the text.
  private mutating func take(_ byte: UInt8) {
    let isSpace = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    if isSpace, "-?:".utf8.contains(last) { mark() }
    if [0x0A, UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{")].contains(byte) { mark() }
    if isSpace, last == UInt8(ascii: "?") { hasComplexKey = true }
    if byte == UInt8(ascii: ":"), isInAlias || "]}".utf8.contains(lastVisible) { hasComplexKey = true }
    read(byte)
    if [0x0A, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte) { isInAlias = false }
    if !isSpace { lastVisible = byte }
    last = byte
    location.advance(over: byte, before: nil)
  }

  /// Reads the name of an anchor or an alias, which consists of ASCII letters, digits, `_` and `-`.
  private mutating func read(_ byte: UInt8) {
    let isNamed = byte < 0x80 && (byte.isWord || "_-".utf8.contains(byte))
    if naming != nil, isNamed { return name.append(byte) }
    endName()
    if last.isWord { return }
    if byte == UInt8(ascii: "*") { (naming, start, isInAlias) = (.alias, location, true) }
    if byte == UInt8(ascii: "&") { naming = .anchor }
  }

  private mutating func endName() {
    switch naming {
    case .anchor where !name.isEmpty: anchors.insert(name)
    case .alias where anchors.contains(name): alias = alias ?? start
    case .anchor, .alias, nil: break
    }
    (naming, name) = (nil, [])
  }

  /// Counts one possible value.
  private mutating func mark() {
    marks += 1
    if marks == Node.Limit.values, tooMany == nil { tooMany = location }
  }
}
