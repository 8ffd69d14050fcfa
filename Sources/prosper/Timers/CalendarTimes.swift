import Glibc

/// Times of day on days of the week, in local time.
struct CalendarTimes: Hashable, CustomStringConvertible {
  /// The times in ascending order, without duplicates. At least one.
  let times: [TimeOfDay]
  let days: Weekdays

  init(_ times: [TimeOfDay], on days: Weekdays) { (self.times, self.days) = (Set(times).sorted(), days) }

  /// The times in the notation of systemd's `OnCalendar`, one for each time of day.
  var calendars: [String] {
    times.map { time in
      let clock = time.second == 0 ? "\(time):00" : "\(time)"
      return (days.calendar.map { "\($0) " } ?? "") + "*-*-* " + clock
    }
  }

  /// The times in the notation of cron, one for each time of day. Cron has no seconds.
  var cron: [String] { times.map { "\($0.minute) \($0.hour) * * \(days.cron)" } }

  /// The days and times, such as `mon-fri 06:30, 19:00`.
  var description: String { "\(days) " + times.map(\.description).joined(separator: ", ") }

  /// The time of the computer's clock, in seconds since 1970.
  static var now: time_t { time(nil) }

  /// The first time after `now`, both in seconds since 1970.
  func next(after now: time_t) -> time_t? { occurrences(around: now).first { now < $0 } }

  /// The last time that is not after `now`, both in seconds since 1970.
  func latest(until now: time_t) -> time_t? { occurrences(around: now).last { $0 <= now } }

  /// All times from eight days before `now` to eight days after it, in order.
  private func occurrences(around now: time_t) -> [time_t] {
    var (now, today) = (now, tm())
    localtime_r(&now, &today)
    return (-8...8).flatMap { offset in times.compactMap { moment(of: $0, days: offset, after: today) } }.sorted()
  }

  /// A time on the day that is `offset` days after `day`; nil if that is not one of `days`, or if the change to summer
  /// time skips the time on that day.
  private func moment(of time: TimeOfDay, days offset: Int32, after day: tm) -> time_t? {
    var moment = tm()
    (moment.tm_year, moment.tm_mon, moment.tm_mday) = (day.tm_year, day.tm_mon, day.tm_mday + offset)
    (moment.tm_hour, moment.tm_min, moment.tm_sec) = (Int32(time.hour), Int32(time.minute), Int32(time.second))
    moment.tm_isdst = -1
    // `mktime` normalizes the date, and moves a skipped time to one that exists.
    let seconds = mktime(&moment)
    let exists = moment.tm_hour == time.hour && moment.tm_min == time.minute
    return exists && days.contains(weekday: moment.tm_wday) ? seconds : nil
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
