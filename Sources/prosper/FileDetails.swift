import Glibc

/// Reads bit rates.
enum BitRate {
  /// Bits per second: `128k`, or `128000`; nil for any other text.
  static func bits(_ text: String) -> Int? {
    let isKilo = text.hasSuffix("k")
    guard let number = Int(text.dropLast(isKilo ? 1 : 0)), 0 < number, number < 1_000_000 else { return nil }
    if isKilo { return 1_000 * number }
    // A plain small number may mean kilobits.
    return 1_000 <= number ? number : nil
  }
}

/// The date of a file whose session states none.
enum SourceDate {
  /// The day of `SOURCE_DATE_EPOCH`, which builds set to get the same bytes again; nil without it. The time of the
  /// render or of the session file would make two renders of one session differ.
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
