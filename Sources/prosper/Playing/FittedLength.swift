import ProsperKit

/// The argument of `--duration`: the length to which a session is fitted.
enum FittedLength {
  /// The length in seconds; nil without the option.
  static func seconds(_ text: String?) throws(Refusal) -> Double? {
    guard let text else { return nil }
    return try DurationArgument.seconds(text, of: "--duration")
  }
}

extension SessionPlan {
  /// Fits the session to the length of `--duration` in seconds; does nothing if it is nil.
  mutating func fit(to seconds: Double?) throws(Refusal) {
    guard let seconds else { return }
    do throws(FitError) { try fit(to: seconds) } catch { throw Refusal("--duration: \(error)") }
  }
}
