import Glibc
import ProsperKit

/// This program in a unit file of systemd.
struct UnitProgram {
  /// Its absolute path.
  var path = ProgramPath.current
  /// The folder to which relative paths in its arguments are relative.
  var folder = ProcessInput.folder

  /// A command line of this program. The colon disables the substitution of environment variables.
  func command(_ words: [String]) -> String { ([":" + path] + words).map(Self.word).joined(separator: " ") }

  /// The line with which cron executes a command of this program. Cron has its own `PATH` and folder, and no
  /// `XDG_RUNTIME_DIR`, with which programs find the sound server.
  ///
  /// - Parameter times: when, in the notation of cron.
  func cronLine(_ times: String, _ words: [String]) -> String {
    let words = ([path] + words).map { shellWord($0) }.joined(separator: " ")
    let command = "cd \(shellWord(folder)) && XDG_RUNTIME_DIR=/run/user/\(getuid()) \(words)"
    return "\(times) \(command.replacing("%", with: "\\%"))"
  }

  /// The setting for the folder; empty if its name can't be written in a unit file, where this setting has no quotes.
  var workingDirectory: String {
    let isPlain = folder == folder.withoutControls && folder.last != "\\" && folder.last?.isWhitespace == false
    return isPlain ? "WorkingDirectory=-\(Self.text(folder))\n" : ""
  }

  /// A word of a command line, with quotes and escapes so that systemd reads exactly these characters.
  static func word(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "%": "%%"
        case "\n": "\\n"
        case _ where scalar.value < 0x20 || scalar.value == 0x7f || scalar.isByte:
          "\\x" + hexadecimal(UInt8(truncatingIfNeeded: scalar.value))
        default: String(scalar)
        }
      }.joined() + "\""
  }

  /// A text with `%` escaped, because systemd replaces specifiers such as `%h`.
  static func text(_ text: String) -> String { text.replacing("%", with: "%%") }
}
