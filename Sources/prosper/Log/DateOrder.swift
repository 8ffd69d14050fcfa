import ArgumentParser
import ProsperKit

/// The order of day and month in a date such as 04/05/2026.
enum DateOrder: String, CaseIterable, ExpressibleByArgument {
  case mdy, dmy

  /// Why the order of some dates is unknown.
  enum Unknown: Error, Hashable {
    /// Each date has two readings.
    case ambiguous
    /// Some dates have only one reading, and others only the other one.
    case contradictory
  }

  /// The only order in which all dates of a file exist.
  static func found(in times: [ForeignTime]) throws(Unknown) -> DateOrder {
    let readings = times.map { time in allCases.map { time.day($0) } }
    let possible = allCases.indices.map { index in
      // A date without any reading is a mistake, and says nothing about the others.
      readings.allSatisfy { $0[index] != nil || $0.allSatisfy { $0 == nil } }
    }
    switch (possible[0], possible[1]) {
    case (true, false): return .mdy
    case (false, true): return .dmy
    case (false, false): throw .contradictory
    case (true, true):
      if readings.contains(where: { $0[0] != $0[1] }) { throw .ambiguous }
      return .mdy
    }
  }
}

/// When a sit began, as another program has written it.
struct ForeignTime: Hashable {
  private enum Date: Hashable {
    case day(CalendarDay)
    /// Two numbers, for day and month in an unknown order, and the year.
    case numbers(Int, Int, year: Int)
  }

  private let date: Date
  /// The second of the day.
  private let second: Int
  /// The time, if it states its offset from UTC.
  private let exact: SitTime?

  /// Reads `11/26/2026 06:30:00`, `26.11.2026 6:30`, `11/26/2026, 6:30 AM`, `2026-11-26 06:30:00` and times of ISO 8601. A
  /// date without a time means midnight.
  init?(_ text: String) {
    // After the date and the character that follows it.
    let hasOffset = text.dropFirst(11).contains { "Zz+-".contains($0) }
    if hasOffset, let time = SitTime(text) {
      (exact, date, second) = (time, .day(time.day), time.second)
      return
    }
    exact = nil
    let words = text.split { $0.isWhitespace || $0 == "," || $0 == "T" }
    guard let first = words.first, let date = Self.date(first) else { return nil }
    self.date = date
    guard let second = Self.second(words.dropFirst().joined().uppercased()) else { return nil }
    self.second = second
  }

  /// The day in an order; nil if there is no such day.
  func day(_ order: DateOrder) -> CalendarDay? {
    switch date {
    case .day(let day): day
    case .numbers(let a, let b, let year):
      CalendarDay(year: year, month: order == .mdy ? a : b, day: order == .mdy ? b : a)
    }
  }

  /// The time in an order, on the clock of this computer; nil if there is no such day.
  func time(_ order: DateOrder) -> SitTime? { exact ?? day(order).flatMap { SitTime(local: $0, second: second) } }

  private static func date(_ text: Substring) -> Date? {
    let parts = text.split(omittingEmptySubsequences: false) { "/.-".contains($0) }
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(part) : nil
    }
    guard parts.count == 3, numbers.count == 3 else { return nil }
    if parts[0].utf8.count == 4 {
      return CalendarDay(year: numbers[0], month: numbers[1], day: numbers[2]).map { .day($0) }
    }
    return parts[2].utf8.count == 4 ? .numbers(numbers[0], numbers[1], year: numbers[2]) : nil
  }

  /// The second of the day of `06:30:00` or `6:30:00PM`; 0 for an empty text.
  private static func second(_ text: String) -> Int? {
    if text.isEmpty { return 0 }
    guard let half = ["AM", "PM"].first(where: { text.hasSuffix($0) }) else { return SitTime.second(of: text) }
    guard let second = SitTime.second(of: text.dropLast(2)), 3_600..<13 * 3_600 ~= second else { return nil }
    return second % (12 * 3_600) + (half == "PM" ? 12 * 3_600 : 0)
  }
}
