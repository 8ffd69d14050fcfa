import ProsperKit
import Sessions

/// The argument of `--duration`: the time that a session is fitted to.
enum FittedLength {
  /// The seconds that the option means; nil without the option.
  static func seconds(_ text: String?) throws(Refusal) -> Double? {
    guard let text else { return nil }
    return try DurationArgument.seconds(text, of: "--duration")
  }
}

extension SessionPlan {
  /// Fits the session to the seconds of `--duration`; does nothing without the option.
  mutating func fit(to seconds: Double?) throws(Refusal) {
    guard let seconds else { return }
    do throws(FitError) { try fit(to: seconds) } catch { throw Refusal("--duration: \(error)") }
  }
}
