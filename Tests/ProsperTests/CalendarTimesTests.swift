import Foundation
import TestSupport
import Testing

@testable import prosper

/// The times at which a timer elapses, compared with those that systemd calculates.
@Suite struct CalendarTimesTests {
  @Test(arguments: [
    ("mon-fri", "mon-fri", "Mon..Fri"), ("SAT,sunday", "sat,sun", "Sat,Sun"),
    ("fri-mon", "mon,fri-sun", "Mon,Fri..Sun"),
    ("wed", "wed", "Wed"), ("tue,thu,tue", "tue,thu", "Tue,Thu"), ("weekdays", "mon-fri", "Mon..Fri"),
    ("weekends", "sat,sun", "Sat,Sun"), ("mon-sun", "daily", nil), ("daily", "daily", nil),
  ])
  func `days are read, and written in their shortest form`(text: String, short: String, calendar: String?) throws {
    let days = try #require(Weekdays(argument: text))
    #expect(days.description == short && days.calendar == calendar)
    #expect(Weekdays(argument: short) == days)
  }

  @Test(arguments: ["", "mon-", "-fri", "mon-tue-wed", "mo", "mon,", "mon fri", "1-5", "always"])
  func `a text that is not a list of days is refused`(text: String) { #expect(Weekdays(argument: text) == nil) }

  @Test(arguments: [("6:30", "06:30"), ("06:30", "06:30"), ("23:59:59", "23:59:59"), ("0:00:00", "00:00")])
  func `times of day are read`(text: String, written: String) {
    #expect(TimeOfDay(argument: text)?.description == written)
  }

  @Test(arguments: [
    "", "6", "24:00", "6:60", "6:5", "06:30:60", "06:30:1", "-1:00", "6.30", "6:30pm", "006:30", "٦:٣٠",
  ])
  func `a text that is not a time of day is refused`(text: String) { #expect(TimeOfDay(argument: text) == nil) }

  @Test(arguments: [
    (["06:30"], "daily"), (["06:30", "19:00:05"], "mon-fri"), (["00:00"], "sun"), (["23:59"], "fri-mon"),
    (["12:00"], "tue,thu,sat"), (["06:30", "23:59"], "2096-02-29,2097-12-31"),
  ])
  func `the next and the latest time are those of systemd`(times: [String], days: String) throws {
    let calendar = try self.times(of: times, days)
    let now = time(nil)
    let next = try #require(calendar.next(after: now))
    let answers = try calendar.calendars.map { try elapse($0, after: now) }
    #expect(next == answers.min())
    // The latest time before the one after it is that time itself.
    #expect(calendar.latest(until: next) == next && calendar.next(after: next - 1) == next)
  }

  @Test func `lateness is the time since a session was due, and none just before its time`() throws {
    let now = time(nil)
    let (soon, before) = (clock(of: now + 30), clock(of: now - 600))
    #expect(ScheduleDueCommand.lateness(of: try times(of: [soon], "daily"), at: now) == nil)
    #expect(ScheduleDueCommand.lateness(of: try times(of: [before], "daily"), at: now) == 600)
    #expect(ScheduleDueCommand.lateness(of: try times(of: [soon, before], "daily"), at: now) == nil)
  }

  private func times(of times: [String], _ days: String) throws -> CalendarTimes {
    CalendarTimes(
      try times.map { try #require(TimeOfDay(argument: $0)) }, on: try #require(CalendarDays(argument: days)))
  }

  /// The time of day with its seconds, in local time.
  private func clock(of seconds: time_t) -> String {
    var (seconds, moment) = (seconds, tm())
    localtime_r(&seconds, &moment)
    return [moment.tm_hour, moment.tm_min, moment.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  /// The next time that `systemd-analyze` calculates, in seconds since 1970.
  private func elapse(_ calendar: String, after now: time_t) throws -> time_t {
    let words = ["calendar", "--base-time=@\(now)", calendar]
    let text = try output(of: "systemd-analyze", words, environment: [:], mustSucceed: true)
    let line = try #require(text.split(separator: "\n").first { $0.contains("Next elapse:") })
    let numbers = line.split { !$0.isNumber }.compactMap { Int32($0) }
    try #require(numbers.count == 6)
    var moment = tm()
    (moment.tm_year, moment.tm_mon, moment.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (moment.tm_hour, moment.tm_min, moment.tm_sec) = (numbers[3], numbers[4], numbers[5])
    moment.tm_isdst = -1
    return mktime(&moment)
  }
}
