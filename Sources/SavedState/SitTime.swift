import Glibc
import Player

/// When a sit began: the date and the time that a clock on the wall showed, and their offset from UTC.
package struct SitTime: Sendable, Hashable, CustomStringConvertible {
  /// The date at the place of the sit.
  package let day: CalendarDay
  /// The seconds since midnight of that day.
  package let second: Int
  /// The seconds by which that clock was ahead of UTC.
  package let offset: Int

  /// The seconds since 1970.
  package var instant: Int { day.number * 86_400 + second - offset }

  private init(_ day: CalendarDay, second: Int, offset: Int) {
    (self.day, self.second, self.offset) = (day, second, offset)
  }

  /// A time in seconds since 1970, on the clock of this computer.
  package init?(seconds: Double) { self.init(isoText(seconds)) }

  /// A time on the clock of this computer. A time that the change to summer time skips becomes one that exists.
  package init?(local day: CalendarDay, second: Int) {
    var moment = tm()
    (moment.tm_year, moment.tm_mon, moment.tm_mday) = (Int32(day.year - 1_900), Int32(day.month - 1), Int32(day.day))
    (moment.tm_hour, moment.tm_min) = (Int32(second / 3_600), Int32(second / 60 % 60))
    (moment.tm_sec, moment.tm_isdst) = (Int32(second % 60), -1)
    self.init(seconds: Double(mktime(&moment)))
  }

  /// Reads a time of ISO 8601, such as `2026-11-26T06:30:00+01:00`. Without an offset, it is one on the clock of this
  /// computer. A fraction of a second is dropped.
  package init?(_ text: String) {
    guard let divider = text.firstIndex(where: { "Tt ".contains($0) }), let day = CalendarDay(text[..<divider]) else {
      return nil
    }
    let rest = text[text.index(after: divider)...]
    let zone = rest.firstIndex { "Zz+-".contains($0) } ?? rest.endIndex
    guard let second = Self.second(of: rest[..<zone]) else { return nil }
    if zone == rest.endIndex {
      self.init(local: day, second: second)
    } else {
      guard let offset = Self.offset(rest[zone...]) else { return nil }
      self.init(day, second: second, offset: offset)
    }
  }

  /// The second of the day of `06:30:00`, of `06:30` and of `6:30:00.5`; nil for any other text.
  package static func second(of text: some StringProtocol) -> Int? {
    let whole = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = (whole.first ?? "").split(separator: ":", omittingEmptySubsequences: false).map { digits($0) }
    if 1 < whole.count, digits(whole[1]) == nil { return nil }
    guard 2...3 ~= parts.count, let hour = parts[0], let minute = parts[1],
      let second = parts.count == 3 ? parts[2] : 0,
      0..<24 ~= hour, 0..<60 ~= minute, 0...60 ~= second
    else { return nil }
    // A leap second.
    return hour * 3_600 + minute * 60 + min(second, 59)
  }

  /// The seconds of `+01:00`, `+0100`, `+01` and `Z`.
  private static func offset(_ text: Substring) -> Int? {
    if text == "Z" || text == "z" { return 0 }
    let numbers = text.dropFirst().filter { $0 != ":" }
    guard [2, 4].contains(numbers.utf8.count), let hours = digits(numbers.prefix(2)),
      let minutes = 2 < numbers.count ? digits(numbers.dropFirst(2)) : 0, hours <= 18, minutes < 60
    else { return nil }
    return (text.hasPrefix("-") ? -60 : 60) * (hours * 60 + minutes)
  }

  /// The time without its offset, such as `2026-11-26T06:30:00`.
  package var local: String { "\(day)T\(clock):\(padded(second % 60, 2))" }

  /// The hour and the minute, such as `06:30`.
  package var clock: String { "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2))" }

  package var description: String {
    let minutes = abs(offset) / 60
    return "\(local)\(offset < 0 ? "-" : "+")\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
  }
}
