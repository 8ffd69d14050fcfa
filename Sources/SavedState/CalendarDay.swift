/// A day of the Gregorian calendar.
package struct CalendarDay: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Days since 1 January 1970.
  package let number: Int
  package let (year, month, day): (Int, Int, Int)

  package init(number: Int) {
    self.number = number
    // Years begin on 1 March here, so that 29 February is the last day of its year. An era has 400 years.
    let shifted = number + 719_468
    let era = (0 <= shifted ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Nil if there is no such day, or if the year is not from 1 to 9999.
  package init?(year: Int, month: Int, day: Int) {
    guard 1...9_999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = (shiftedYear / 400, shiftedYear % 400)
    let dayOfYear = (153 * (2 < month ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    self.init(number: era * 146_097 + dayOfEra - 719_468)
    // Such as 31 April.
    if (self.year, self.month, self.day) != (year, month, day) { return nil }
  }

  /// Reads `2026-11-26`.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], let year = digits(parts[0]), let month = digits(parts[1]),
      let day = digits(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  package var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }

  /// The month, such as `2026-11`.
  package var monthText: String { "\(padded(year, 4))-\(padded(month, 2))" }

  /// The Monday of the week.
  package var monday: CalendarDay { CalendarDay(number: number - ((number + 3) % 7 + 7) % 7) }

  /// The week of ISO 8601, such as `2026-W48`. It belongs to the year of its Thursday.
  package var weekText: String {
    let thursday = CalendarDay(number: monday.number + 3)
    let first = CalendarDay(year: thursday.year, month: 1, day: 1)?.number ?? thursday.number
    return "\(padded(thursday.year, 4))-W\(padded((thursday.number - first) / 7 + 1, 2))"
  }

  package static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }
}

/// A number of digits only; nil for any other text.
func digits(_ text: some StringProtocol) -> Int? {
  !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(text) : nil
}

/// A number with zeros before it.
func padded(_ number: Int, _ width: Int) -> String {
  let text = "\(number)"
  return String(repeating: "0", count: max(0, width - text.count)) + text
}
