import Glibc

/// Times of day on days of the week or on dates, in local time.
struct CalendarTimes: Hashable, CustomStringConvertible {
  /// The times in ascending order, without duplicates. At least one.
  let times: [TimeOfDay]
  let days: CalendarDays

  init(_ times: [TimeOfDay], on days: CalendarDays) { (self.times, self.days) = (Set(times).sorted(), days) }

  /// The times in the notation of systemd's `OnCalendar`, one for each time of day and each date.
  var calendars: [String] {
    times.flatMap { time in
      days.calendars.map { $0 + (time.second == 0 ? " \(time):00" : " \(time)") }
    }
  }

  /// The times in the notation of cron, one for each time of day and each date. Cron has no seconds.
  var cron: [String] { times.flatMap { time in days.cron.map { "\(time.minute) \(time.hour) \($0)" } } }

  /// The days and times, such as `mon-fri 06:30, 19:00`.
  var description: String { "\(days) " + times.map(\.description).joined(separator: ", ") }

  /// The time of the computer's clock, in seconds since 1970.
  static var now: time_t { time(nil) }

  /// The first time after `now`, both in seconds since 1970.
  func next(after now: time_t) -> time_t? { moments(around: now).first { now < $0 } }

  /// The last time that is not after `now`, both in seconds since 1970.
  func latest(until now: time_t) -> time_t? { moments(around: now).last { $0 <= now } }

  /// The times in seconds since 1970, in order: all of them if they are on dates, otherwise those from eight days before
  /// `now` to eight days after it.
  func moments(around now: time_t) -> [time_t] {
    switch days {
    case .dates(let dates):
      dates.flatMap { date in times.compactMap { Self.moment(of: $0, date.year, date.month, date.day)?.seconds } }
        .sorted()
    case .weekly(let days):
      (-8...8).flatMap { offset in times.compactMap { moment(of: $0, on: days, offset, after: now) } }.sorted()
    }
  }

  /// A time on the day that is `offset` days after `now`; nil if that is not one of `days`.
  private func moment(of time: TimeOfDay, on days: Weekdays, _ offset: Int32, after now: time_t) -> time_t? {
    var (now, today) = (now, tm())
    localtime_r(&now, &today)
    let moment = Self.moment(of: time, today.tm_year + 1900, today.tm_mon + 1, today.tm_mday + offset)
    return moment.flatMap { days.contains(weekday: $0.weekday) ? $0.seconds : nil }
  }

  /// A time on a day, whose number may be outside of its month; nil if the change to summer time skips the time then.
  private static func moment(
    of time: TimeOfDay, _ year: Int32, _ month: Int32, _ day: Int32
  ) -> (seconds: time_t, weekday: Int32)? {
    var moment = tm()
    (moment.tm_year, moment.tm_mon, moment.tm_mday) = (year - 1900, month - 1, day)
    (moment.tm_hour, moment.tm_min, moment.tm_sec) = (Int32(time.hour), Int32(time.minute), Int32(time.second))
    moment.tm_isdst = -1
    // `mktime` normalizes the date, and moves a skipped time to one that exists.
    let seconds = mktime(&moment)
    let exists = moment.tm_hour == time.hour && moment.tm_min == time.minute
    return exists ? (seconds, moment.tm_wday) : nil
  }
}

/// A time as in systemd's output: `Mon 2026-03-02 06:30`, in local time.
func calendarText(_ seconds: time_t) -> String { formatted(seconds, "%a %Y-%m-%d %H:%M") }

/// A time in the notation of ISO 8601, in local time with its offset from UTC.
func isoText(_ seconds: time_t) -> String { formatted(seconds, "%Y-%m-%dT%H:%M:%S%z") }

private func formatted(_ seconds: time_t, _ format: String) -> String {
  var (seconds, moment) = (seconds, tm())
  localtime_r(&seconds, &moment)
  let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
    count = buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, format, &moment) }
  }
  return String(decoding: bytes, as: UTF8.self)
}
