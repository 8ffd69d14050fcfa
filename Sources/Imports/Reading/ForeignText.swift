import Markup
import Sounds

/// The lines of a file that another program has written, in one of the encodings that such files have.
///
/// Lines end at LF, CRLF or CR. A byte order mark is removed. UTF-16 is recognised by its byte order mark. Any other text
/// is UTF-8, or else Windows-1252, of which Latin-1 is a part.
struct ForeignText {
  /// One line.
  struct Line {
    /// From 1.
    let number: Int
    let text: String
    /// The bytes of the line as the file has them: a file name in it may have another encoding than the text.
    let bytes: [UInt8]
  }

  let lines: [Line]

  /// - Parameters:
  ///   - isAlwaysUTF8: whether a byte that is not UTF-8 is an error.
  ///   - file: the file's path, for errors.
  /// - Throws: if the file is too large, or not in UTF-8 and has to be.
  init(_ bytes: [UInt8], isAlwaysUTF8: Bool, file: String) throws(Diagnostic) {
    guard bytes.count <= Node.Limit.bytes else {
      throw Diagnostic(
        .tooLarge, SourceLocation(file: file), "the file is larger than the limit of 16 MiB", fix: "split it")
    }
    let content = Self.fromUTF16(bytes) ?? bytes
    let body = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content[...]
    let isUTF8 = String(validating: body, as: UTF8.self) != nil
    let pieces = Self.split(body)
    if !isUTF8, isAlwaysUTF8 { throw Self.notUTF8(pieces, file) }
    lines = pieces.enumerated().map { index, piece in
      let text = isUTF8 ? String(decoding: piece, as: UTF8.self) : Self.windows1252(piece)
      return Line(number: index + 1, text: Self.withoutNoncharacters(text), bytes: Array(piece))
    }
  }

  /// The text in UTF-8; nil if the bytes begin with no byte order mark of UTF-16.
  private static func fromUTF16(_ bytes: [UInt8]) -> [UInt8]? {
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let (lf, cr) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    var (lines, start) = ([ArraySlice<UInt8>](), bytes.startIndex)
    for index in bytes.indices where bytes[index] == lf || bytes[index] == cr {
      // CRLF ends a line once.
      if bytes[index] == lf, bytes.startIndex < index, bytes[index - 1] == cr {
        start = index + 1
        continue
      }
      lines.append(bytes[start..<index])
      start = index + 1
    }
    return start < bytes.endIndex ? lines + [bytes[start...]] : lines
  }

  private static func notUTF8(_ lines: [ArraySlice<UInt8>], _ file: String) -> Diagnostic {
    let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    let line = lines.indices.contains(index) ? lines[index] : []
    // Invalid bytes are replaced by U+FFFD: the first difference is the first invalid byte.
    let text = String(decoding: line, as: UTF8.self)
    let valid = zip(text.utf8, line).prefix { $0.0 == $0.1 }.map(\.1)
    let column = String(decoding: valid, as: UTF8.self).unicodeScalars.count + 1
    return Diagnostic(
      .encoding, SourceLocation(file: file, line: index + 1, column: column), "a byte that is not valid UTF-8",
      fix: "save the file in UTF-8")
  }

  private static func windows1252(_ bytes: ArraySlice<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      let isSpecial = (0x80..<0xA0).contains(byte)
      scalars.append(isSpecial ? special[Int(byte) - 0x80] : Unicode.Scalar(byte))
    }
    return String(scalars)
  }

  /// The characters of Windows-1252 that Latin-1 does not have: those of the bytes 0x80 to 0x9F. Five bytes have none.
  private static let special = Array(
    "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)

  /// No file may contain the last two characters of the basic plane, which YAML refuses.
  private static func withoutNoncharacters(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { 0xFFFE...0xFFFF ~= $0.value }) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { 0xFFFE...0xFFFF ~= $0.value ? "\u{FFFD}" : $0 }))
  }
}

extension ForeignText.Line {
  /// The text without spaces at both ends, and the column at which it begins.
  var content: (text: Substring, column: Int) {
    let space = text.prefix { $0.isWhitespace }
    var rest = text.dropFirst(space.count)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return (rest, space.unicodeScalars.count + 1)
  }

  /// The column of an index in the text.
  func column(of index: String.Index) -> Int { text[..<index].unicodeScalars.count + 1 }
}
