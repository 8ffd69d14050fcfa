import Files
import Glibc

/// Prints messages for the user on stderr. Each is one line and one `write`, so that lines of several threads don't
/// mix.
enum StandardError {
  /// Prints a line that starts with the program's name.
  static func say(_ text: String) { write("prosper: \(text.withoutControls)\n") }

  /// Prints a line that already starts with its file and position.
  static func printPlain(_ text: String) { write("\(text.withoutControls)\n") }

  private static func write(_ line: String) {
    var line = line
    line.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }
}

extension String {
  /// The text without control characters, and without bytes that are no text. The title of a sound could otherwise send
  /// escape sequences to the terminal.
  var withoutControls: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          let isControl = scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value)
          return isControl || scalar.isByte ? "\u{FFFD}" : scalar
        }))
  }
}
