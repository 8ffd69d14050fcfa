import ArgumentParser
import Glibc
import ProsperKit

/// `prosper schedule list`: lists the scheduled sessions.
struct ScheduleListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the scheduled sessions.")

  @Flag(help: "Prints one JSON object per line.")
  var json = false

  func run() throws {
    try ScheduleCommand.reporting {
      let (timers, failure) = ScheduledSession.all(in: try TimerFolder())
      if timers.isEmpty, !json { StandardError.say("nothing is scheduled; 'prosper schedule add' schedules a session") }
      let width = timers.map(\.name.count).max() ?? 0
      for timer in timers { print(json ? timer.line.description : timer.text(width: width)) }
      if let failure { throw failure }
    }
  }
}

/// `prosper schedule next`: prints the scheduled session that plays next.
struct ScheduleNextCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "next", abstract: "Prints which scheduled session plays next.")

  @Flag(help: "Prints one JSON object.")
  var json = false

  func run() throws {
    try ScheduleCommand.reporting {
      let (timers, failure) = ScheduledSession.all(in: try TimerFolder())
      let coming = timers.filter { $0.isActive != false && $0.next != nil }
      if let first = coming.min(by: { ($0.next ?? .max) < ($1.next ?? .max) }) {
        print(json ? first.line.description : first.text(width: 0))
      } else if !json {
        StandardError.say("nothing is scheduled; 'prosper schedule add' schedules a session")
      }
      if let failure { throw failure }
    }
  }
}

/// A timer and its state.
struct ScheduledSession {
  var name: String
  var timer: SessionTimer
  /// Whether systemd runs the timer; nil if it does not answer.
  var isActive: Bool?
  /// The time at which the timer elapses next, in seconds since 1970; nil if the timer does not run.
  var next: time_t?

  /// All timers, and the failure if systemd does not answer.
  static func all(in folder: TimerFolder) -> (timers: [ScheduledSession], failure: UserManager.Failure?) {
    let entries = folder.entries
    var (states, failure) = ([Bool](), UserManager.Failure?.none)
    do throws(UserManager.Failure) { states = try UserManager.areActive(entries.map(\.unit)) } catch { failure = error }
    let timers = entries.enumerated().map { index, entry in
      let isActive = failure == nil ? states[index] : nil
      return ScheduledSession(name: entry.name, timer: entry.timer, isActive: isActive)
    }
    return (timers, failure)
  }

  init(name: String, timer: SessionTimer, isActive: Bool?) {
    (self.name, self.timer, self.isActive) = (name, timer, isActive)
    next = isActive == false ? nil : timer.times?.next(after: CalendarTimes.now)
  }

  /// One line: name, times, next time, title and path.
  func text(width: Int) -> String {
    let padding = String(repeating: " ", count: max(0, width - name.count))
    let when = timer.times?.description ?? "without valid times"
    let coming = next.map { "next \(calendarText($0))" } ?? (timer.isOver ? "over" : "not active")
    return "\(name)\(padding)  \(when)  (\(coming))  \(timer.title), \(timer.session)".withoutControls
  }

  /// The line for `--json`.
  var line: JSONLine {
    var line: JSONLine = ["v": 1, "name": name, "session": timer.session, "title": timer.title, "at": timer.at]
    line.add("days", timer.days)
    line.add("next", written: next.map { JSONLine.quoted(isoText($0)) } ?? "null")
    line.add("active", written: isActive.map { "\($0)" } ?? "null")
    line.add("wake", timer.wakes)
    line.add("grace", timer.grace)
    line.add("options", timer.options)
    line.add("day", written: timer.day.map { JSONLine.quoted($0.path) } ?? "null")
    return line
  }
}
