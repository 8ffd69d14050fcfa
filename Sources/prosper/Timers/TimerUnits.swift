import Glibc
import ProsperKit

/// The two unit files with which systemd plays a session: a timer, and the service that it starts.
struct TimerUnits {
  let name: String
  let timer: SessionTimer
  /// The absolute path of this program.
  let program: String
  /// The folder from which `prosper schedule add` was called. Relative paths in options are relative to it.
  let folder: String

  private var title: String { "prosper: \(Self.text(timer.title.withoutControls))" }

  /// The timer. With `Persistent`, systemd also starts a session that was missed while the computer was off; `prosper
  /// schedule due` decides whether it is too late.
  var timerFile: String {
    """
    # Written by 'prosper schedule add'; 'prosper schedule remove \(name)' removes it.
    [Unit]
    Description=\(title), \(timer.times?.description ?? "")

    [Timer]
    \((timer.times?.calendars ?? []).map { "OnCalendar=\($0)" }.joined(separator: "\n"))
    AccuracySec=1s
    Persistent=true
    \(timer.wakes ? "WakeSystem=true\n" : "")
    [Install]
    WantedBy=timers.target

    \(timer.record)
    """
  }

  /// The service. A stopped session exits with 143 after its fade-out, so this status counts as success.
  var serviceFile: String {
    """
    # Written by 'prosper schedule add'; 'prosper schedule remove \(name)' removes it.
    [Unit]
    Description=\(title) (prosper)
    After=pipewire-pulse.socket pulseaudio.socket

    [Service]
    Type=exec
    \(workingDirectory)ExecCondition=\(command(["schedule", "due", name]))
    ExecStart=\(command(timer.command))
    SuccessExitStatus=143
    TimeoutStopSec=10

    """
  }

  /// The lines with which cron plays the session at its times. Cron has its own `PATH` and folder, and no
  /// `XDG_RUNTIME_DIR`, with which programs find the sound server.
  var cronLines: [String] {
    let words = ([program] + timer.command).map { shellWord($0) }.joined(separator: " ")
    let command = "cd \(shellWord(folder)) && XDG_RUNTIME_DIR=/run/user/\(getuid()) \(words)"
    return (timer.times?.cron ?? []).map { "\($0) \(command.replacing("%", with: "\\%"))" }
  }

  /// The setting for the folder; empty if its name can't be written in a unit file, where this setting has no quotes.
  private var workingDirectory: String {
    let isPlain = folder == folder.withoutControls && folder.last != "\\" && folder.last?.isWhitespace == false
    return isPlain ? "WorkingDirectory=-\(Self.text(folder))\n" : ""
  }

  /// A command line of this program. The colon disables the substitution of environment variables.
  private func command(_ words: [String]) -> String {
    ([":" + program] + words).map(Self.word).joined(separator: " ")
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
  private static func text(_ text: String) -> String { text.replacing("%", with: "%%") }
}
