import ProsperKit

/// Lengths of time on the command line: as in sessions, such as `90s`, `10m` or `1:30`, or a plain number of seconds.
enum DurationArgument {
  /// The seconds that a text means; nil if it is not a duration of 0 or more.
  static func seconds(_ text: String) -> Double? {
    guard let seconds = TimeSpelling.seconds(text) ?? Double(text), seconds.isFinite, 0 <= seconds else { return nil }
    return seconds
  }

  /// The seconds that the value of an option means, which may be minutes as well as seconds. Therefore a number other
  /// than 0 needs a unit.
  ///
  /// - Parameter option: the option as it is written, for the error.
  static func seconds(_ text: String, of option: String) throws(Refusal) -> Double {
    if let seconds = TimeSpelling.seconds(text) ?? (Double(text) == 0 ? 0 : nil) { return seconds }
    if TimeSpelling.seconds(text + "m") != nil {
      throw Refusal("\(option) '\(text)' has no unit; write \(text)m for minutes, or \(text)s for seconds")
    }
    throw Refusal("\(option) '\(text.withoutControls)' is not a length of time; write it like 12m, 90s or 1:30:00")
  }
}
