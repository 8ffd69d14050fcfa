/// A line and a column in a file, both counted from 1. Columns count Unicode scalars.
package struct SourceLocation: Sendable, Hashable, Comparable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (a: SourceLocation, b: SourceLocation) -> Bool { (a.line, a.column) < (b.line, b.column) }

  /// The location of values that were not read from a file.
  package static let none = SourceLocation(line: 1, column: 1)

  /// Advances over one byte of UTF-8 text. `next` is the byte after it, which distinguishes CR from CRLF.
  mutating func advance(over byte: UInt8, before next: UInt8?) {
    if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && next != UInt8(ascii: "\n")) {
      self = SourceLocation(line: line + 1, column: 1)
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }
}
