/// The two unit files with which systemd starts a session: a timer, and the service that it starts.
struct TimerUnits {
  let name: String
  let timer: SessionTimer
  /// The absolute path of this program.
  let program: String
  /// The folder from which `prosper schedule add` was called: relative paths in options start there.
  let folder: String

  private var title: String { "prosper: \(Self.text(timer.title.withoutControls))" }

  /// The timer. `Persistent` starts a session that was missed while the computer was off; whether that is too late is
  /// decided by `prosper schedule due`.
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

  /// The service. A session that is stopped ends with 143 after its fade, which is no failure.
  var serviceFile: String {
    """
    # Written by 'prosper schedule add'; 'prosper schedule remove \(name)' removes it.
    [Unit]
    Description=\(title) (prosper)
    After=pipewire-pulse.socket pulseaudio.socket

    [Service]
    Type=exec
    \(workingDirectory)ExecCondition=\(command(["schedule", "due", name]))
    ExecStart=\(command(["play", timer.session] + timer.options))
    SuccessExitStatus=143
    TimeoutStopSec=10

    """
  }

  /// Empty if the folder's name can't be written in a unit file, which has no quotes for it.
  private var workingDirectory: String {
    let isPlain = !folder.contains(where: \.isNewline) && folder.last != "\\" && folder.last?.isWhitespace == false
    return isPlain ? "WorkingDirectory=-\(Self.text(folder))\n" : ""
  }

  /// A command line of this program. The colon switches off the substitution of variables.
  private func command(_ words: [String]) -> String {
    ([":" + program] + words).map(Self.word).joined(separator: " ")
  }

  /// A word of a command line in quotes, so that it means exactly the same characters.
  static func word(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "%": "%%"
        case "\n": "\\n"
        case _ where scalar.value < 0x20 || scalar.value == 0x7f:
          "\\x" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
        default: String(scalar)
        }
      }.joined() + "\""
  }

  /// A text in which systemd replaces nothing.
  private static func text(_ text: String) -> String { text.replacing("%", with: "%%") }
}
