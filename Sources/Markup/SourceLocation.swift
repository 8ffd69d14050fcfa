/// A place in a file: a line and a column, both counted from 1. Columns count Unicode scalars.
public struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The file as the user named it; for a single command, a word such as "command".
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// The column in the line, from 1, in Unicode scalars.
  public var column: Int
  /// The include through which the file was read; nil for a file that was read by itself.
  private var include: Include?

  package init(file: String, line: Int = 1, column: Int = 1) {
    (self.file, self.line, self.column) = (file, line, column)
  }

  /// The location of values that were not read from a file.
  package static let none = SourceLocation(file: "")

  /// `FILE:LINE:COLUMN`.
  public var description: String { "\(file):\(line):\(column)" }

  /// In the order in which a session is read: what was included stands at the place of its include.
  public static func < (a: SourceLocation, b: SourceLocation) -> Bool {
    if a.include == nil, b.include == nil { return a.isBefore(b) }
    for (a, b) in zip(a.trail, b.trail) where a.position != b.position { return a.isBefore(b) }
    return a.trail.count < b.trail.count
  }

  private var position: SourceLocation { SourceLocation(file: file, line: line, column: column) }

  private func isBefore(_ other: SourceLocation) -> Bool {
    (file, line, column) < (other.file, other.line, other.column)
  }

  /// Advances over one byte of UTF-8 text. `next` is the byte after it, which distinguishes CR from CRLF.
  mutating func advance(over byte: UInt8, before next: UInt8?) {
    if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && next != UInt8(ascii: "\n")) {
      (line, column) = (line + 1, 1)
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }
}

/// Places in included files.
extension SourceLocation {
  /// The place of an include, or of a parameter whose value has several parts. Locations share it, because a file has many
  /// of them.
  package final class Include: Sendable, Hashable {
    let place: SourceLocation
    /// Whether it is the use of a parameter.
    let isUse: Bool

    package init(at place: SourceLocation, isUse: Bool = false) { (self.place, self.isUse) = (place, isUse) }

    package static func == (a: Include, b: Include) -> Bool { a === b || a.isUse == b.isUse && a.place == b.place }
    package func hash(into hasher: inout Hasher) { hasher.combine(place) }
  }

  /// The includes, the innermost first.
  private var includes: [Include] {
    var includes: [Include] = []
    var next = include
    while let include = next {
      includes.append(include)
      next = include.place.include
    }
    return includes
  }

  /// The places of the includes through which the file was read, the innermost first; none for a file that was read by
  /// itself. For a part of a parameter's value, the place that uses the parameter is the first one. The `includedFrom` of
  /// each place are the rest of the list.
  public var includedFrom: [SourceLocation] { includes.map(\.place) }

  /// The places of the includes in words; none for a file that was read by itself.
  var includedFromWords: [String] { includes.map { "\($0.isUse ? "used in" : "included from") \($0.place)" } }

  /// The same place in a file that was read through an include.
  package func included(by include: Include?) -> SourceLocation {
    var location = self
    location.include = include
    return location
  }

  /// Whether both are the same place of the same file, through whatever includes it was read.
  package func isSamePlace(as other: SourceLocation) -> Bool { position == other.position }

  /// The place as a problem at another place names it: the line in the same file, or file, line and column.
  package func named(at other: SourceLocation) -> String { file == other.file ? "line \(line)" : description }

  /// The places of the includes, the outermost first, and this one.
  private var trail: [SourceLocation] { includedFrom.reversed() + [self] }
}
