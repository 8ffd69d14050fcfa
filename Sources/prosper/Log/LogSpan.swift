import Glibc
import ProsperKit

/// The time that `--since` selects.
struct LogSpan {
  private enum Begin {
    case day(CalendarDay)
    /// Seconds since 1970.
    case instant(Int)
  }

  private let begin: Begin

  /// Reads a day such as `2026-11-01`, or a number of days or weeks before now, such as `7d` or `4w`.
  ///
  /// Nil for any other text.
  ///
  /// - Parameter now: seconds since 1970.
  init?(_ text: String, now: time_t) {
    let days = ["d": 1, "w": 7].first { text.hasSuffix($0.key) }?.value
    if let day = CalendarDay(text) {
      begin = .day(day)
    } else if let days, let count = Int(text.dropLast()), 0...100_000 ~= count {
      begin = .instant(now - 86_400 * days * count)
    } else {
      return nil
    }
  }

  /// Whether a sit began in this time. Its day is that of the place where it was.
  func contains(_ sit: LoggedSit) -> Bool {
    switch begin {
    case .day(let day): day <= sit.start.day
    case .instant(let instant): instant <= sit.start.instant
    }
  }
}
