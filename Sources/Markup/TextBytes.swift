import Engine
import Files
import Sounds

/// Converts the bytes of a file to text: UTF-8 without control characters. A byte order mark is removed.
package enum TextBytes {
  /// Converts the bytes.
  ///
  /// - Throws: if the file is too large, is not UTF-8, or contains a control character. The error has the position.
  package static func text(_ bytes: [UInt8], file: String) throws(Diagnostic) -> String {
    let start = SourceLocation(file: file)
    try checkEncoding(bytes, start)
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let text = String(decoding: body, as: UTF8.self)
    // Invalid bytes were replaced by U+FFFD: the first difference is the first invalid byte.
    if let (offset, _) = zip(text.utf8, body).enumerated().first(where: { $1.0 != $1.1 }) {
      throw Diagnostic(
        .encoding, location(of: offset, in: body, start), "a byte that is not valid UTF-8",
        fix: "save the file in UTF-8")
    }
    try checkControls(text, start)
    return text
  }

  /// Checks the size, and reports UTF-16 by its byte order mark with a clearer error than "not UTF-8".
  private static func checkEncoding(_ bytes: [UInt8], _ start: SourceLocation) throws(Diagnostic) {
    guard bytes.count <= Node.Limit.bytes else {
      throw Diagnostic(
        .tooLarge, start, "the file is larger than the limit of 16 MiB", fix: "split it into several sessions")
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Diagnostic(.encoding, start, "the file is in UTF-16", fix: "save it in UTF-8")
    }
  }

  /// Refuses control characters, which could make a terminal show something other than the file contains.
  private static func checkControls(_ text: String, _ start: SourceLocation) throws(Diagnostic) {
    var offset = 0
    for scalar in text.unicodeScalars {
      if scalar.isControl, !["\n", "\r", "\t"].contains(scalar) {
        throw Diagnostic(
          .encoding, location(of: offset, in: Array(text.utf8)[...], start), "a control character, \(name(of: scalar))",
          fix: "remove it")
      }
      offset += UTF8.width(scalar)
    }
  }

  /// The position of a byte. Lines end at LF, CRLF or CR; columns count Unicode scalars.
  private static func location(
    of offset: Int, in bytes: ArraySlice<UInt8>, _ start: SourceLocation
  ) -> SourceLocation {
    var location = start
    let end = bytes.startIndex + offset
    for index in bytes.startIndex..<end {
      let next = index + 1 < bytes.endIndex ? bytes[index + 1] : nil
      location.advance(over: bytes[index], before: next)
    }
    return location
  }
}
