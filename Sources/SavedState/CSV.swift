/// Text with comma-separated values, as RFC 4180 describes it. Lines may end with LF or CR LF.
package enum CSV {
  /// A record, or a line that is none.
  package struct Record: Sendable, Hashable {
    /// The number of its first line, from 1.
    package var line: Int
    /// Its bytes, without the line end.
    package var bytes: [UInt8]
    /// Nil for a line that can't be read: one with a quoted field that does not end, or that goes on after its end.
    package var fields: [String]?
  }

  /// The records of a text. Empty lines and a byte order mark are left out.
  ///
  /// After a record that can't be read, the next line is a record of its own. So a line that was not written to its end
  /// does not hide the lines after it.
  ///
  /// - Parameter begins: whether a line, which is passed with all that follows it, is the begin of a record even if it is
  ///   between quotation marks, because the mark before it lacks its end.
  package static func records(
    in bytes: [UInt8], separator: UInt8 = UInt8(ascii: ","),
    begins: @escaping (ArraySlice<UInt8>) -> Bool = { _ in false }
  ) -> [Record] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let begin = bytes.starts(with: mark) ? mark.count : 0
    var scanner = RecordScanner(bytes: bytes, separator: separator, begins: begins, position: begin)
    var records: [Record] = []
    var line = 1
    while scanner.position < bytes.count {
      let begin = scanner.position
      let fields = scanner.takeRecord()
      let taken = bytes[begin..<scanner.position]
      let content = taken.withoutLineEnd
      if !content.isEmpty { records.append(Record(line: line, bytes: Array(content), fields: fields)) }
      line += taken.count { $0 == lineFeed }
    }
    return records
  }

  /// The fields as one record, without a line end.
  package static func text(of fields: [String]) -> String { fields.map(quoted).joined(separator: ",") }

  /// A field, in quotation marks if it needs them.
  private static func quoted(_ field: String) -> String {
    let special = [UInt8(ascii: ","), UInt8(ascii: "\""), lineFeed, carriageReturn]
    // Some readers remove spaces around a field.
    let needs = field.utf8.contains { special.contains($0) } || field.hasPrefix(" ") || field.hasSuffix(" ")
    return needs ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
  }

  fileprivate static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
}

/// Reads records one after the other.
private struct RecordScanner {
  let bytes: [UInt8]
  let separator: UInt8
  let begins: (ArraySlice<UInt8>) -> Bool
  var position: Int

  private static let quote = UInt8(ascii: "\"")

  /// The fields of the record at the position, which moves to the next one; nil if it can't be read, and the position
  /// then moves to the next line.
  mutating func takeRecord() -> [String]? {
    let begin = position
    var fields: [String] = []
    while true {
      guard let field = position < bytes.count && bytes[position] == Self.quote ? takeQuoted() : takePlain() else {
        position = end(ofLineAt: begin)
        return nil
      }
      fields.append(field)
      if position < bytes.count, bytes[position] == separator {
        position += 1
      } else {
        position = end(ofLineAt: position)
        return fields
      }
    }
  }

  /// A field without quotation marks around it.
  private mutating func takePlain() -> String? {
    let begin = position
    while position < bytes.count, bytes[position] != separator, bytes[position] != CSV.lineFeed { position += 1 }
    let isLast = position == bytes.count || bytes[position] == CSV.lineFeed
    let field = isLast ? bytes[begin..<position].withoutLineEnd : bytes[begin..<position]
    return String(decoding: field, as: UTF8.self)
  }

  /// A field in quotation marks; nil if it has no end, if another record begins in it, or if text follows its end.
  private mutating func takeQuoted() -> String? {
    var field: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte != Self.quote {
        if byte == CSV.lineFeed, begins(bytes[position...]) { return nil }
        field.append(byte)
      } else if position < bytes.count, bytes[position] == Self.quote {
        field.append(byte)
        position += 1
      } else {
        return isAtEndOfField ? String(decoding: field, as: UTF8.self) : nil
      }
    }
    return nil
  }

  private var isAtEndOfField: Bool {
    guard position < bytes.count else { return true }
    if bytes[position] == separator || bytes[position] == CSV.lineFeed { return true }
    let next = position + 1
    return bytes[position] == CSV.carriageReturn && (next == bytes.count || bytes[next] == CSV.lineFeed)
  }

  /// The position after the next line end.
  private func end(ofLineAt position: Int) -> Int {
    (bytes[position...].firstIndex(of: CSV.lineFeed) ?? bytes.count - 1) + 1
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without LF or CR LF at their end, and without a CR at the end of the text.
  fileprivate var withoutLineEnd: ArraySlice<UInt8> {
    var rest = self
    if rest.last == CSV.lineFeed { rest.removeLast() }
    if rest.last == CSV.carriageReturn { rest.removeLast() }
    return rest
  }
}
