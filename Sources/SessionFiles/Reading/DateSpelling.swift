import Markup

/// Checks calendar dates: `2026`, `2026-03`, `2026-03-01`.
package enum DateSpelling {
  private static let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

  /// Whether a text is a year, a month or a day that exists in the calendar.
  package static func isDate(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.allSatisfy(Digits.isDigit) ? Int($0) : nil }
    guard 1...3 ~= parts.count, numbers.count == parts.count, parts[0].count == 4,
      parts.dropFirst().allSatisfy({ $0.count == 2 })
    else { return false }
    guard 1 < numbers.count else { return true }
    guard 1...12 ~= numbers[1] else { return false }
    return numbers.count == 2 || 1...days(of: numbers[1], in: numbers[0]) ~= numbers[2]
  }

  private static func days(of month: Int, in year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 && isLeap ? 29 : lengths[month - 1]
  }
}
