/// A place in a file: a line and a column, both counted from 1. Columns count Unicode scalars.
public struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The file as the user named it; for a single command, a word such as "command".
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// The column in the line, from 1, in Unicode scalars.
  public var column: Int

  package init(file: String, line: Int = 1, column: Int = 1) {
    (self.file, self.line, self.column) = (file, line, column)
  }

  /// The location of values that were not read from a file.
  package static let none = SourceLocation(file: "")

  /// `FILE:LINE:COLUMN`.
  public var description: String { "\(file):\(line):\(column)" }

  /// By file, line and column.
  public static func < (a: SourceLocation, b: SourceLocation) -> Bool {
    (a.file, a.line, a.column) < (b.file, b.line, b.column)
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
