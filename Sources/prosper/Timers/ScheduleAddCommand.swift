import ArgumentParser
import ProsperKit

/// `prosper schedule add`: writes a timer for a session and starts it.
struct ScheduleAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Schedules a session.",
    usage: """
      prosper schedule add morning.yaml --at 06:30
      prosper schedule add morning.yaml --at 06:30 --days mon-fri --volume -6dB
      prosper schedule add zazen --at 06:30 --days sat,sun -- --lead-in 3s
      prosper schedule add sit 25m --at 06:30 --name dawn -- --every 5m
      """,
    discussion: """
      The session is checked first. Options after -- are passed to 'prosper play', or to 'prosper sit'.
      """)

  @Argument(
    help: "The session: a file, JSON or YAML, or a name of 'prosper sessions'; or sit, for a sit without a file.",
    completion: .session, transform: SessionLibrary.file)
  var session: String

  @Argument(help: "After sit: how long it is, as for 'prosper sit'.")
  var duration: String?

  @Option(
    parsing: .singleValue, help: ArgumentHelp("A time of day, such as 06:30. May be repeated.", valueName: "time"))
  var at: [String]

  @Option(help: ArgumentHelp("Days of the week: mon-fri, sat,sun, weekdays, weekends or daily.", valueName: "days"))
  var days = "daily"

  @Option(help: ArgumentHelp("The name of the timer. (default: the name of the file)", valueName: "name"))
  var name: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Master volume, as for 'prosper play'.", valueName: "volume"))
  var volume: String?

  @Option(
    name: .shortAndLong, parsing: .singleValue,
    help: ArgumentHelp("The output, as for 'prosper play'.", valueName: "out"))
  var output: [String] = []

  @OptionGroup var parameters: SettingOptions

  @Option(
    help: ArgumentHelp(
      "How late the session may start if the computer was off or asleep at its time, at least 1m. After that it does "
        + "not play.", valueName: "duration"))
  var grace = "5m"

  @Option(help: ArgumentHelp("How long to wait for the sound server.", valueName: "duration"))
  var waitForServer = "2m"

  @Flag(help: "Wakes the computer from suspend. systemd needs a permission for this; see the article Unattended.")
  var wake = false

  @Flag(name: .shortAndLong, help: "Replaces the timer of this name.")
  var force = false

  @Flag(name: [.customShort("n"), .long], help: "Prints the files instead of writing them.")
  var dryRun = false

  @Argument(parsing: .postTerminator, help: .hidden)
  var options: [String] = []

  func run() throws {
    try ScheduleCommand.reporting {
      let timer = try timer()
      let folder = try TimerFolder()
      if !force, name == nil, let same = folder.entries.first(where: { $0.timer == timer }) {
        print("nothing to do: '\(same.name)' already plays this session at these times")
        return
      }
      let units = TimerUnits(name: try freeName(in: folder), timer: timer)
      let files = folder.units(of: units.name)
      if dryRun { return show(units, files) }
      try files.install(units.texts, cron: units.cronLines) { wake ? $0.ofWaking : $0 }
      report(units, files)
    }
  }
}

/// The timer that the arguments describe.
extension ScheduleAddCommand {
  /// Reads the arguments and the session. Throws before anything is written.
  private func timer() throws -> SessionTimer {
    let times = try at.map { text in
      guard let time = TimeOfDay(argument: text) else {
        throw Refusal("--at '\(text.withoutControls)' is not a time of day; write it like 06:30")
      }
      return time
    }
    guard let weekdays = Weekdays(argument: days) else {
      throw Refusal("--days '\(days.withoutControls)' is not a list of days; write it like mon-fri, sat,sun or daily")
    }
    guard let late = TimeLimit(argument: grace), 60 <= late.seconds, late.seconds <= 86_400 else {
      throw Refusal("--grace '\(grace.withoutControls)' is not a duration from 1m to 24h; write it like 10m")
    }
    if SessionFile.isStream(session) {
      throw Refusal("a session on stdin or in a pipe can't be scheduled; save it as a file")
    }
    let title = try isSit ? checkedSit() : checkedSession()
    let calendar = CalendarTimes(times, on: weekdays)
    var timer = SessionTimer(
      session: absolutePath(of: session), title: title, at: calendar.times.map(\.description),
      days: weekdays.description, grace: late.seconds, wakes: wake, options: playOptions)
    if isSit, let duration { (timer.session, timer.sit) = ("sit \(duration)", duration) }
    return timer
  }

  /// Whether the command is `prosper sit`: there is no file and no session of this name.
  private var isSit: Bool { session == "sit" && !isFile(at: session) }

  /// The title of the session, after it and the options have been checked to find mistakes early.
  private func checkedSession() throws -> String {
    if let duration {
      throw Refusal("'\(duration.withoutControls)' is one argument too many; give options of 'prosper play' after --")
    }
    let play = try Self.parsed(PlayCommand.self, [session] + playOptions)
    var plan = SessionPlan.read(session, settings: play.parameters.settings)
    try plan.fit(to: try FittedLength.seconds(play.duration))
    return try SessionPlayback(options: play.options).check(plan, at: session)
  }

  /// The title of the sit, after the options have been checked.
  private func checkedSit() throws -> String {
    guard let duration else {
      throw Refusal("a sit needs its length; write it like 'prosper schedule add sit 25m --at 06:30'")
    }
    let sit = try Self.parsed(SitCommand.self, [duration] + playOptions)
    if sit.save != nil || sit.playing.resume { throw Refusal("a sit with --save or --resume can't be scheduled") }
    let plan = SessionPlan(session: try sit.session())
    return try SessionPlayback(options: sit.options).check(plan, at: nil)
  }

  /// The options of `prosper play` or `prosper sit`. Events are printed as text, for the journal.
  private var playOptions: [String] {
    ["--events", "text", "--wait-for-server", waitForServer] + (volume.map { ["--volume", $0] } ?? [])
      + parameters.set.flatMap { ["--set", $0] } + output.flatMap { ["--output", $0] } + options
  }

  private static func parsed<Command: ParsableCommand>(_ command: Command.Type, _ words: [String]) throws -> Command {
    do { return try command.parse(words) } catch { throw Refusal(Prosper.sentence(command.message(for: error))) }
  }

  /// The name of the new timer: that of `--name`, or the file's name, with a number if a timer has this name.
  private func freeName(in folder: TimerFolder) throws -> String {
    guard let name else {
      let base = SessionTimer.name(for: session)
      let names = ([base] + (2...999).map { "\(base)-\($0)" }).filter { $0 != ServeService.name }
      return names.first { force || !folder.units(of: $0).exist } ?? base
    }
    guard SessionTimer.isName(name) else {
      throw Refusal(
        "--name '\(name.withoutControls)' can't be the name of a timer; use up to 100 letters, digits, '-', '_' and '.'"
      )
    }
    if name == ServeService.name {
      throw Refusal("--name '\(name)' is the name of the service of 'prosper serve'; choose another one")
    }
    if !force, folder.units(of: name).exist {
      throw Refusal("a timer '\(name)' already exists; choose another --name, or replace it with --force")
    }
    return name
  }
}

/// Reporting the timer.
extension ScheduleAddCommand {
  private func show(_ units: TimerUnits, _ files: UnitFiles) {
    for (path, text) in zip(files.paths, units.texts) { print("# \(path)\n\(text)") }
  }

  private func report(_ units: TimerUnits, _ files: UnitFiles) {
    let timer = units.timer
    let next = timer.times?.next(after: CalendarTimes.now).map { ", next on \(calendarText($0))" } ?? ""
    print("'\(units.name)' plays \(timer.title), \(timer.times?.description ?? "")\(next)".withoutControls)
    for path in files.paths { print("wrote \(path.withoutControls)") }
    print(UserManager.lingerHint("plays"))
    print("to play it now, run: systemctl --user start \(SessionTimer.prefix)\(units.name)")
  }
}

extension UserManager.Failure {
  /// The failure with advice for `--wake`, which systemd may not permit.
  fileprivate var ofWaking: UserManager.Failure {
    UserManager.Failure(
      problem: "\(problem); if systemd may not wake the computer, leave out --wake or see the article Unattended")
  }
}
