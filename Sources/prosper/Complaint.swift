import Glibc

/// Messages to the user: one line each, on stderr.
enum Complaint {
  static func say(_ text: String) { write("prosper: \(text.withoutControls)\n") }

  /// A line that already begins with its file and place.
  static func sayPlain(_ text: String) { write("\(text.withoutControls)\n") }

  private static func write(_ line: String) {
    var line = line
    line.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }
}

extension String {
  /// Without the control characters by which a title could command a terminal.
  var withoutControls: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          let isControl = scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value)
          return isControl ? "\u{FFFD}" : scalar
        }))
  }
}
