import Glibc
import ProsperKit

/// Prints messages for the user on stderr. Each is one line and one `write`, so that lines of several threads don't
/// mix.
enum StandardError {
  /// Prints a line that starts with the program's name.
  static func say(_ text: String) { write("prosper: \(shown(text))\n") }

  /// Prints a line that already starts with its file and position.
  static func printPlain(_ text: String) { write("\(shown(text))\n") }

  /// Prints the lines of a picture, which may have colours.
  static func draw(_ lines: [String]) { for line in lines { write(line + "\n") } }

  /// Whether systemd keeps what is printed: it names the journal's end of stderr in `JOURNAL_STREAM`.
  static var isJournal: Bool {
    var status = stat()
    return fstat(2, &status) == 0 && ProcessInput.environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
  }

  /// A message may repeat what the user has typed, an address with a password included.
  private static func shown(_ text: String) -> String {
    SoundSource.withoutCredentials(Hint.added(to: text)).withoutControls
  }

  private static func write(_ line: String) {
    var line = line
    line.withUTF8 { bytes in _ = Glibc.write(2, bytes.baseAddress, bytes.count) }
  }
}

extension String {
  /// The text without characters that control a terminal or the direction of writing, and without bytes that are no
  /// text. A file's name could otherwise send escape sequences to the terminal.
  var withoutControls: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isUnprintable || $0.isByte ? "\u{FFFD}" : $0 }))
  }
}
