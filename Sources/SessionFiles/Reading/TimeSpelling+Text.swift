import Markup
import Player

/// Lengths of time in messages and titles.
extension TimeSpelling {
  /// A length of time for messages, rounded to milliseconds: `4.5 s`, `12:30`, `1:00:00`.
  package static func text(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return "\(seconds) s" }
    let sign = seconds < 0 ? "-" : ""
    let milliseconds = Int((abs(seconds) * 1000).rounded())
    let decimal = { (milliseconds: Int) in Spelling.decimal(Double(milliseconds) / 1000, digits: 3) }
    if milliseconds < 60_000 { return sign + decimal(milliseconds) + " s" }
    let (minutes, rest) = (milliseconds / 60_000, milliseconds % 60_000)
    let tail = (rest < 10_000 ? "0" : "") + decimal(rest)
    if minutes < 60 { return "\(sign)\(minutes):\(tail)" }
    return "\(sign)\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):\(tail)"
  }

  /// A length of time as titles write it: `25 minutes`, `1 hour 30 minutes`, `1 minute 30 seconds`.
  package static func words(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 1e9)).rounded())
    let parts = [(whole / 3600, "hour"), (whole / 60 % 60, "minute"), (whole % 60, "second")].filter { 0 < $0.0 }
    if parts.isEmpty { return text(seconds) }
    return parts.map { counted($0.0, $0.1) }.joined(separator: " ")
  }
}
