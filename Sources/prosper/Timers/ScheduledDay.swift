import ArgumentParser
import ProsperKit

/// The timers of a day: one for each of its sessions.
struct ScheduledDay {
  let file: DayFile
  let path: String
  /// The name with which the names of the timers begin.
  let name: String
  /// The timers by their names, in the order of their times.
  private(set) var timers: [(name: String, timer: SessionTimer)] = []

  /// Options for all sessions of a day.
  struct Settings {
    /// Nil for the days that the file states.
    var days: CalendarDays?
    var grace: Double
    var wakes: Bool
    /// The options of `prosper play` and `prosper sit`, which those of the file follow.
    var options: [String]
    /// Values for parameters, of which each session gets those that it has.
    var parameters: SettingOptions
  }

  /// Reads the sessions of a day, and looks for those that play at the same time.
  ///
  /// - Parameter others: the timers that are not part of this day.
  /// - Throws: the exit code, after everything that is wrong has been printed.
  init(_ path: String, named name: String, _ settings: Settings, beside others: [TimerFolder.Entry]) throws {
    (file, self.path, self.name) = (DayFile(path), absolutePath(of: path), name)
    var report = Report(file.diagnostics)
    let parameters = file.entries.map { Self.parameters(of: $0.play) }
    if file.diagnostics.isEmpty { try settings.parameters.check(parameters.flatMap(\.self)) }
    let plays = zip(file.entries, parameters).map { Self.play($0, with: $1, settings) }
    let facts = zip(file.entries, plays).map { entry, play in report.facts(of: play, entry) }
    try report.finish()
    let days = settings.days ?? file.days ?? .weekly(.daily)
    let times = file.entries.map { CalendarTimes([$0.time], on: settings.days ?? $0.days ?? days) }
    for (entry, times) in zip(file.entries, times) { report.checkDates(times, entry) }
    try report.finish()
    report.findConflicts(zip(facts, times).map { TimedPlay($0, at: $1) }, file.entries)
    try report.finish()
    for (index, play) in plays.enumerated() {
      var timer = play.timer(facts[index], at: times[index], grace: settings.grace, wakes: settings.wakes)
      timer.day = SessionTimer.Day(name: name, path: self.path)
      timers.append((freeName(file.entries[index].time), timer))
      TimedPlay(timer)?.warn(of: others)
    }
  }

  /// What an entry plays. Its own options come last, so that they win.
  private static func play(
    _ entry: DayFile.Entry, with parameters: [SessionParameter], _ settings: Settings
  ) -> ScheduledPlay {
    let values = settings.parameters.arguments(for: Set(parameters.map(\.name)))
    var play = entry.play
    play.options = settings.options + values + play.options
    return play
  }

  /// The parameters of a session; none of one that can't be read.
  private static func parameters(of play: ScheduledPlay) -> [SessionParameter] {
    let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
    return play.sit == nil ? (try? reader.read(path: play.session))?.parameters ?? [] : []
  }

  /// Whether these timers, in the order of their names, are those of the day.
  func isScheduled(as entries: [TimerFolder.Entry]) -> Bool {
    let timers = timers.sorted { $0.name < $1.name }
    return entries.map(\.name) == timers.map(\.name) && zip(entries, timers).allSatisfy { $0.timer.plays(as: $1.timer) }
  }

  /// The name of a timer: that of the day with the time, and a number if this is not the first at that time.
  private func freeName(_ time: TimeOfDay) -> String {
    let base = "\(name)-\(time.description.filter { $0 != ":" })"
    let names = [base] + (2...999).map { "\(base)-\($0)" }
    return names.first { name in !timers.contains { $0.name == name } } ?? base
  }
}

/// What is wrong with a day.
private struct Report {
  /// The exit code of the first mistake; nil without one.
  private var code: ExitCode?

  /// Prints the mistakes of the file.
  init(_ diagnostics: [Markup.Diagnostic]) {
    code = diagnostics.isEmpty ? nil : ExitStatus.invalidData.code
    for diagnostic in diagnostics { StandardError.printPlain(diagnostic.description) }
  }

  /// Reads a session. If that is not possible, prints why and for which entry, and returns empty facts.
  mutating func facts(of play: ScheduledPlay, _ entry: DayFile.Entry) -> ScheduledPlay.Facts {
    do { return try play.facts() } catch {
      code = code ?? error as? ExitCode
      let reason = (error as? Refusal)?.reason ?? "the session at \(entry.time) can't be played; see above"
      printError(reason, at: entry.location)
      return ScheduledPlay.Facts(title: "", length: nil, outputs: [])
    }
  }

  /// Prints that dates are over; those of today are not, even if their times are.
  mutating func checkDates(_ times: CalendarTimes, _ entry: DayFile.Entry) {
    let whole = CalendarTimes([.midnight], on: times.days)
    if times.next(after: CalendarTimes.now) == nil, whole.next(after: CalendarTimes.now - 86_400) == nil {
      printError("\(times) is over; write the date of today or a later one", at: entry.location)
    }
  }

  /// Prints the sessions that play at the same time.
  mutating func findConflicts(_ plays: [TimedPlay], _ entries: [DayFile.Entry]) {
    for later in plays.indices {
      for earlier in plays.indices where earlier != later {
        guard let (own, begin) = plays[earlier].overlap(with: plays[later], around: CalendarTimes.now),
          own < begin || earlier < later
        else { continue }
        let title = plays[earlier].title.withoutControls
        let end = plays[earlier].length.map { " until \(clockText($0.rounded(.up), after: own))" } ?? ""
        printError(
          "'\(plays[later].title.withoutControls)' begins while '\(title)' of \(entries[earlier].time) plays\(end); "
            + "begin it later, or give the other one a shorter 'duration'", at: entries[later].location)
      }
    }
  }

  private mutating func printError(_ text: String, at location: SourceLocation) {
    code = code ?? ExitStatus.invalidData.code
    StandardError.printPlain("\(location): error: \(text)")
  }

  /// - Throws: the exit code if something was wrong.
  func finish() throws { if let code { throw code } }
}

extension TimedPlay {
  /// Prints a warning for each timer that plays at the same time.
  func warn(of timers: [TimerFolder.Entry]) {
    if let (first, second) = overlapWithItself(after: CalendarTimes.now) {
      StandardError.say(
        "warning: '\(title.withoutControls)' of \(calendarText(first)) still plays at \(clockText(0, after: second)), "
          + "when it begins again; leave out one of these times")
    }
    for entry in timers {
      guard let other = TimedPlay(entry.timer) else { continue }
      let now = CalendarTimes.now
      guard let (first, second) = overlap(with: other, around: now) ?? other.overlap(with: self, around: now)
      else { continue }
      StandardError.say(
        "warning: '\(title.withoutControls)' and '\(other.title.withoutControls)' of the timer '\(entry.name)' play at "
          + "the same time, on \(calendarText(first)) and \(clockText(0, after: second)); remove one of them, or change its time"
      )
    }
  }
}

/// The time of day a number of seconds after a moment.
private func clockText(_ seconds: Double, after moment: Int) -> String {
  String(calendarText(moment + Int(seconds) + (Int(seconds) % 60 == 0 ? 0 : 59)).suffix(5))
}
