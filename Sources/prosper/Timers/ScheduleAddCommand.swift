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
      prosper schedule add retreat.yaml --days 2026-12-05
      """,
    discussion: """
      The session is checked first. Options after -- are passed to 'prosper play', or to 'prosper sit'. A file with \
      times in place of stages is a day: each of its sessions gets a timer.
      """)

  @Argument(
    help: """
      The session: a file, JSON or YAML, or a name of 'prosper sessions'; or sit, for a sit without a file; or the \
      file of a day.
      """,
    completion: .session, transform: SessionLibrary.file)
  var session: String

  @Argument(help: "After sit: how long it is, as for 'prosper sit'.")
  var duration: String?

  @Option(
    parsing: .singleValue, help: ArgumentHelp("A time of day, such as 06:30. May be repeated.", valueName: "time"))
  var at: [String] = []

  @Option(
    help: ArgumentHelp(
      "Days of the week: mon-fri, sat,sun, weekdays, weekends or daily; or dates: 2026-12-05,2026-12-06. (default: daily)",
      valueName: "days"))
  var days: String?

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
      if DayFile.isDay(session) { return try addDay() }
      let timer = try timer()
      let folder = try TimerFolder()
      let entries = folder.entries
      if !force, name == nil, let same = entries.first(where: { $0.timer.plays(as: timer) }) {
        print("nothing to do: '\(same.name)' already plays this session at these times")
        return
      }
      let units = TimerUnits(name: try freeName(in: folder), timer: timer)
      TimedPlay(timer)?.warn(of: entries.filter { $0.name != units.name })
      let files = folder.units(of: [units.name])
      if dryRun { return show([units], files) }
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
    let days = try calendarDays ?? .weekly(.daily)
    let late = try lateness
    let isSit = session == "sit" && !isFile(at: session)
    if isSit, duration == nil {
      throw Refusal("a sit needs its length; write it like 'prosper schedule add sit 25m --at 06:30'")
    }
    if !isSit { try refuseDuration() }
    let play = ScheduledPlay(session: session, sit: duration, options: playOptions(parameters.arguments()))
    let facts = try play.facts()
    if times.isEmpty { throw Refusal("a time of day is missing; add --at, such as --at 06:30") }
    let calendar = CalendarTimes(times, on: days)
    if calendar.next(after: CalendarTimes.now) == nil {
      throw Refusal("\(calendar) is over, or skipped by the change of the clock; give a later time or another day")
    }
    return play.timer(facts, at: calendar, grace: late, wakes: wake)
  }

  private var calendarDays: CalendarDays? {
    get throws {
      guard let text = days else { return nil }
      guard let days = CalendarDays(argument: text) else {
        throw Refusal(
          "--days '\(text.withoutControls)' is not a list of days; write it like mon-fri, sat,sun, daily or 2026-12-05")
      }
      if case .dates = days, CalendarTimes([.midnight], on: days).next(after: CalendarTimes.now - 86_400) == nil {
        throw Refusal("--days '\(text)' is over; write the date of today or a later one")
      }
      return days
    }
  }

  /// The seconds of `--grace`.
  private var lateness: Double {
    get throws {
      guard let late = TimeLimit(argument: grace), 60 <= late.seconds, late.seconds <= 86_400 else {
        throw Refusal("--grace '\(grace.withoutControls)' is not a duration from 1m to 24h; write it like 10m")
      }
      return late.seconds
    }
  }

  private func refuseDuration() throws(Refusal) {
    guard let duration else { return }
    throw Refusal(
      "'\(duration.withoutControls)' is one argument too many; give options of 'prosper play' after --")
  }

  /// The options of `prosper play` or `prosper sit`. Events are printed as text, for the journal.
  private func playOptions(_ settings: [String]) -> [String] {
    ["--events", "text", "--wait-for-server", waitForServer] + (volume.map { ["--volume", $0] } ?? [])
      + settings + output.flatMap { ["--output", $0] } + options
  }

  /// The name of the new timer: that of `--name`, or the file's name, with a number if a timer has this name.
  private func freeName(in folder: TimerFolder) throws -> String {
    let days = folder.entries.compactMap(\.timer.day?.name)
    guard let name = try givenName else {
      let base = SessionTimer.name(for: session)
      let names = ([base] + (2...999).map { "\(base)-\($0)" }).filter { $0 != ServeService.name && !days.contains($0) }
      return names.first { force || !folder.units(of: [$0]).exist } ?? base
    }
    if days.contains(name) {
      throw Refusal("a day has the name '\(name)'; choose another --name")
    }
    if !force, folder.units(of: [name]).exist {
      throw Refusal("a timer '\(name)' already exists; choose another --name, or replace it with --force")
    }
    return name
  }

  /// The name of `--name`.
  private var givenName: String? {
    get throws {
      guard let name else { return nil }
      guard SessionTimer.isName(name) else {
        throw Refusal(
          "--name '\(name.withoutControls)' can't be the name of a timer; use up to 100 letters, digits, '-', '_' and "
            + "'.'")
      }
      if name == ServeService.name {
        throw Refusal("--name '\(name)' is the name of the service of 'prosper serve'; choose another one")
      }
      return name
    }
  }
}

/// A day.
extension ScheduleAddCommand {
  private func addDay() throws {
    if let time = at.first { throw Refusal("--at \(time.withoutControls) is for one session; a day has its own times") }
    try refuseDuration()
    let folder = try TimerFolder()
    let (entries, path) = (folder.entries, absolutePath(of: session))
    let own = entries.filter { $0.timer.day?.path == path && (name == nil || $0.timer.day?.name == name) }
    let others = entries.filter { entry in !own.contains { $0.name == entry.name } }
    let day = try ScheduledDay(
      session, named: try givenName ?? SessionTimer.name(for: session),
      ScheduledDay.Settings(
        days: try calendarDays, grace: try lateness, wakes: wake, options: playOptions([]),
        parameters: parameters),
      beside: others)
    try refuseTaken(day, own, besides: others, in: folder)
    if day.isScheduled(as: own) {
      return print("nothing to do: '\(day.name)' already plays this day")
    }
    let units = day.timers.map { TimerUnits(name: $0.name, timer: $0.timer) }
    let files = folder.units(of: units.map(\.name))
    if dryRun { return show(units, files) }
    try files.install(units.flatMap(\.texts), cron: units.flatMap(\.cronLines)) { wake ? $0.ofWaking : $0 }
    for entry in own where !day.timers.contains(where: { $0.name == entry.name }) { try folder.remove(entry) }
    if !own.isEmpty { try UserManager.reload() }
    report(day)
  }

  /// Refuses names that other timers have, and a day that has changed since it was scheduled.
  private func refuseTaken(
    _ day: ScheduledDay, _ own: [TimerFolder.Entry], besides others: [TimerFolder.Entry], in folder: TimerFolder
  ) throws(Refusal) {
    if force { return }
    if !own.isEmpty, !day.isScheduled(as: own) {
      throw Refusal("the day '\(day.name)' is scheduled already, in another way; replace it with --force")
    }
    if let other = others.first(where: { $0.name == day.name || $0.timer.day?.name == day.name }) {
      let what = other.timer.day.map { "the day \($0.path)" } ?? "a timer"
      throw Refusal("\(what.withoutControls) has the name '\(day.name)'; choose another --name")
    }
    let taken = day.timers.map(\.name).first { name in
      folder.units(of: [name]).exist && !own.contains { $0.name == name }
    }
    if let taken {
      throw Refusal("a timer '\(taken)' already exists; choose another --name, or replace it with --force")
    }
  }

  private func report(_ day: ScheduledDay) {
    print("'\(day.name)' plays \(day.file.title): \(counted(day.timers.count, "session"))".withoutControls)
    let sessions = day.timers.map { ScheduledSession(name: $0.name, timer: $0.timer, isActive: true) }
    let width = sessions.map(\.name.count).max() ?? 0
    for session in sessions { print("  " + session.text(width: width)) }
    print(UserManager.lingerHint("plays"))
    print("to remove it, run: prosper schedule remove \(day.name)")
  }
}

/// Reporting the timer.
extension ScheduleAddCommand {
  private func show(_ units: [TimerUnits], _ files: UnitFiles) {
    for (path, text) in zip(files.paths, units.flatMap(\.texts)) { print("# \(path)\n\(text)") }
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
