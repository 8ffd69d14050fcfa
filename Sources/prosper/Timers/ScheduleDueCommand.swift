import ArgumentParser
import Glibc
import ProsperKit

/// `prosper schedule due`: the `ExecCondition` of a service that a timer has started.
///
/// A persistent timer of systemd also elapses after its time, when the computer wakes up or is switched on, or when its
/// user logs in. A session that is later than `--grace` must not play then.
struct ScheduleDueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "due", abstract: "Exits with 0 if a scheduled session may start now, and with 1 if it is too late.",
    shouldDisplay: false)

  @Argument(help: "A name from 'prosper schedule list'.")
  var name: String

  func run() throws {
    let now = CalendarTimes.now
    let entry = try TimerFolder().entries.first { $0.name == name }
    guard let entry, let times = entry.timer.times, wasTriggered(entry.unit, at: now) else { return }
    guard let late = Self.lateness(of: times, at: now), entry.timer.grace < Double(late) else { return }
    StandardError.say(
      "\(name) was due \(counted(late / 60, "minute")) ago, so it does not play; "
        + "'prosper schedule add --grace' allows more delay")
    throw ExitCode(1)
  }

  /// Whether the timer has just started the service. If not, the user has; then, and if systemd does not answer, the
  /// session plays.
  private func wasTriggered(_ timer: String, at now: time_t) -> Bool {
    guard let last = try? UserManager.lastTrigger(of: timer) else { return false }
    return abs(now - last) <= 60
  }

  /// Seconds since the time at which the session was due; nil if it is due within a minute, because a timer may elapse
  /// just before its time if the clock is corrected.
  static func lateness(of times: CalendarTimes, at now: time_t) -> time_t? {
    if let next = times.next(after: now), next - now <= 60 { return nil }
    return times.latest(until: now).map { now - $0 }
  }
}
