import ArgumentParser

/// `prosper schedule`: systemd timers that play sessions at certain times.
struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Plays sessions at certain times of the day, with systemd timers.",
    usage: """
      prosper schedule add morning.yaml --at 06:30 --days mon-fri
      prosper schedule list
      prosper schedule next
      prosper schedule remove morning
      """,
    discussion: """
      A scheduled session consists of a timer and a service of your systemd user manager, in \
      $XDG_CONFIG_HOME/systemd/user (or ~/.config/systemd/user). They run while you are logged in, and without a login \
      after 'loginctl enable-linger'.

      'systemctl --user start prosper-NAME' plays a scheduled session now, 'systemctl --user stop prosper-NAME' fades \
      it out, and 'journalctl --user -u prosper-NAME' shows what it printed.

      Exit codes: 0 done · 64 wrong usage, or no such timer · 65 and 66 the session can't be played · \
      69 systemd does not answer · 73 the files can't be written.
      """,
    subcommands: [
      ScheduleAddCommand.self, ScheduleListCommand.self, ScheduleNextCommand.self, ScheduleRemoveCommand.self,
      ScheduleDueCommand.self,
    ])

  /// Runs `body`, prints a `Refusal` or a failure of systemd as one line, and throws the exit code.
  static func reporting(_ body: () throws -> Void) throws {
    try UserManager.reporting(for: "prosper schedule add", body)
  }
}
