import Glibc

/// The days of a timer: days of the week, or dates.
enum CalendarDays: Hashable, CustomStringConvertible {
  case weekly(Weekdays)
  /// Dates in ascending order, without duplicates. At least one.
  case dates([CalendarDate])

  /// The largest number of dates.
  private static let maximumDates = 366

  /// Reads days of the week as `Weekdays` does, or dates separated by commas, as in `2026-12-05,2026-12-06`; nil for any
  /// other text.
  init?(argument: String) {
    if let days = Weekdays(argument: argument) {
      self = .weekly(days)
      return
    }
    let words = argument.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingPrefix(" ") }
    let dates = words.compactMap(CalendarDate.init)
    guard dates.count == words.count, dates.count <= Self.maximumDates else { return nil }
    self = .dates(Set(dates).sorted())
  }

  /// The shortest notation that `init` reads.
  var description: String {
    switch self {
    case .weekly(let days): days.description
    case .dates(let dates): dates.map(\.description).joined(separator: ",")
    }
  }

  /// The days in the notation of systemd's `OnCalendar`: one text for all days of the week, or one for each date.
  var calendars: [String] {
    switch self {
    case .weekly(let days): [(days.calendar.map { "\($0) " } ?? "") + "*-*-*"]
    case .dates(let dates): dates.map(\.description)
    }
  }

  /// The last three fields of a line of cron: day, month and day of the week. Cron knows no years.
  var cron: [String] {
    switch self {
    case .weekly(let days): ["* * \(days.cron)"]
    case .dates(let dates): dates.map { "\($0.day) \($0.month) *" }
    }
  }
}

/// A date of the Gregorian calendar.
struct CalendarDate: Hashable, Comparable, CustomStringConvertible {
  /// The year, 1970…9999, the month, 1…12, and the day, 1…31.
  let year, month, day: Int32

  /// Reads `2026-12-05`; nil for any other text, and for a date that does not exist.
  init?(_ text: Substring) {
    guard let match = text.wholeMatch(of: #/([0-9]{4})-([0-9]{2})-([0-9]{2})/#),
      let year = Int32(match.1), let month = Int32(match.2), let day = Int32(match.3), 1970 <= year
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    var noon = tm()
    (noon.tm_year, noon.tm_mon, noon.tm_mday, noon.tm_hour, noon.tm_isdst) = (year - 1900, month - 1, day, 12, -1)
    // `mktime` moves a date that does not exist, such as the 30th of February.
    guard mktime(&noon) != -1, noon.tm_mon == month - 1, noon.tm_mday == day else { return nil }
  }

  static func < (left: CalendarDate, right: CalendarDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  var description: String {
    "\(year)-" + [month, day].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
  }
}
