import ProsperKit

/// The two unit files with which systemd plays a session: a timer, and the service that it starts.
struct TimerUnits {
  let name: String
  let timer: SessionTimer
  var program = UnitProgram()

  private var title: String { "prosper: \(UnitProgram.text(timer.title.withoutControls))" }

  /// The service and the timer.
  var texts: [String] { [serviceFile, timerFile] }

  /// The timer. With `Persistent`, systemd also starts a session that was missed while the computer was off; `prosper
  /// schedule due` decides whether it is too late.
  private var timerFile: String {
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
  private var serviceFile: String {
    """
    # Written by 'prosper schedule add'; 'prosper schedule remove \(name)' removes it.
    [Unit]
    Description=\(title) (prosper)
    After=pipewire-pulse.socket pulseaudio.socket

    [Service]
    Type=exec
    \(program.workingDirectory)ExecCondition=\(program.command(["schedule", "due", name]))
    ExecStart=\(program.command(timer.command))
    SuccessExitStatus=143
    TimeoutStopSec=10

    """
  }

  /// The lines with which cron plays the session at its times.
  var cronLines: [String] { (timer.times?.cron ?? []).map { program.cronLine($0, timer.command) } }
}
