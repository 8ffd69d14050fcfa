import ProsperKit
import Sessions

/// Lengths of time on the command line: as in sessions, such as `90s`, `10m` or `1:30`, or a plain number of seconds.
enum DurationArgument {
  /// The seconds that a text means; nil if it is not a duration of 0 or more.
  static func seconds(_ text: String) -> Double? {
    guard let seconds = TimeSpelling.seconds(text) ?? Double(text), seconds.isFinite, 0 <= seconds else { return nil }
    return seconds
  }

  /// The seconds that the value of an option means.
  ///
  /// - Parameter option: the option as it is written, for the error.
  static func seconds(_ text: String, of option: String) throws(Refusal) -> Double {
    if let seconds = seconds(text) { return seconds }
    throw Refusal("\(option) '\(text.withoutControls)' is not a length of time; write it like 12m, 90s or 1:30:00")
  }
}
