import ArgumentParser
import ProsperKit

/// A duration in the notation of session files, such as `90s` or `10m`, or a number of seconds.
struct TimeLimit: Hashable, CustomStringConvertible {
  var seconds: Double

  init(seconds: Double) { self.seconds = seconds }

  /// Nil if the text is not a duration of 0 or more.
  init?(argument: String) {
    guard let seconds = DurationArgument.seconds(argument) else { return nil }
    self.seconds = seconds
  }

  /// Reads an argument; the message of one that can't be read gives these examples.
  static func reader(like examples: String) -> @Sendable (String) throws -> TimeLimit {
    { text in
      guard let limit = TimeLimit(argument: text) else {
        throw ValidationError("it is not a duration; write it like \(examples)")
      }
      return limit
    }
  }

  var description: String { TimeSpelling.text(seconds) }
}
