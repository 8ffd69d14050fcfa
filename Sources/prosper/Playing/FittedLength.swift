import ProsperKit

/// The length to which a session is fitted: the argument of `--duration`, or what the page asks for.
enum FittedLength {
  /// The length in seconds; nil without the option.
  ///
  /// - Parameter option: what the listener has written, for the error.
  static func seconds(_ text: String?, of option: String = "--duration") throws(Refusal) -> Double? {
    guard let text else { return nil }
    return try DurationArgument.seconds(text, of: option)
  }
}

extension SessionPlan {
  /// Fits the session to a length in seconds; does nothing if it is nil.
  ///
  /// - Parameter option: what the listener has written, for the error.
  mutating func fit(to seconds: Double?, of option: String = "--duration") throws(Refusal) {
    guard let seconds else { return }
    do throws(FitError) { try fit(to: seconds) } catch { throw Refusal("\(option): \(error)") }
  }
}
