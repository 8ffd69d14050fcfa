import Glibc

/// Reads bit rates.
enum BitRate {
  /// Reads bits per second, as `128k` or `128000`; nil for any other text.
  static func bits(_ text: String) -> Int? {
    let isKilo = text.hasSuffix("k")
    guard let number = Int(text.dropLast(isKilo ? 1 : 0)), 0 < number, number < 1_000_000 else { return nil }
    if isKilo { return 1_000 * number }
    // A small number without `k` is probably meant as kilobits, so it is refused.
    return 1_000 <= number ? number : nil
  }
}

/// The date for the tags of a file if its session has none.
enum SourceDate {
  /// The day of the variable `SOURCE_DATE_EPOCH`, with which reproducible builds set the date; nil without it. The
  /// current date is not used, because two renders of a session must have the same bytes.
  static func day() -> String? {
    guard let text = getenv("SOURCE_DATE_EPOCH").map({ String(cString: $0) }), var seconds = time_t(text) else {
      return nil
    }
    var day = tm()
    guard gmtime_r(&seconds, &day) != nil, 0...8_099 ~= day.tm_year else { return nil }
    let month = Int(day.tm_mon) + 1
    return "\(Int(day.tm_year) + 1900)-"
      + [month, Int(day.tm_mday)].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
  }
}
