import Markup
import Player
import Signal

/// Converts values to text, from which exactly the same values are read.
package enum Spelling {
  /// A length of time, such as `25m`, `1m30s` or `250ms`; the number of seconds if it is no whole number of
  /// milliseconds.
  static func time(_ seconds: Double) -> Node {
    let text = withUnits(seconds)
    return TimeSpelling.seconds(text) == seconds ? .text(text) : .number(seconds)
  }

  /// A position in a stage: `start`, `end`, `2m30s`, `-10s`.
  static func position(_ anchor: Session.Position.Anchor) -> Node {
    switch anchor {
    case .afterStart(0): return .text("start")
    case .beforeEnd(0): return .text("end")
    case .afterStart(let seconds): return time(seconds)
    case .beforeEnd(let seconds):
      let text = withUnits(seconds)
      return TimeSpelling.seconds(text) == seconds ? .text("-" + text) : .number(-seconds)
    }
  }

  /// A volume: decibels with one decimal if they are exactly this gain, otherwise the linear factor; above 0 dB always
  /// decibels, because the format has no factors above 1.
  static func volume(_ gain: Gain) -> Node {
    if gain == .unity { return .number(1) }
    let decibels = gain.decibels
    let tenths = (decibels * 10).rounded() / 10
    if decibels.isFinite, VolumeSpelling.gain(tenths) == gain { return .text(Self.decibels(tenths)) }
    let hundredths = (Double(gain.linear) * 100).rounded() / 100
    if Float(hundredths) == gain.linear || !decibels.isFinite { return .number(hundredths) }
    return gain.linear < 1 ? .word("\(gain.linear)") : .text(Self.decibels(decibels))
  }

  private static func decibels(_ decibels: Double) -> String {
    "\(0 < decibels ? "+" : "")\(plain(decibels))dB"
  }

  /// Hours, minutes, seconds and milliseconds, without those that are zero.
  private static func withUnits(_ seconds: Double) -> String {
    guard 0 < seconds, seconds < 1e9 else { return "0s" }
    let milliseconds = Int((seconds * 1000).rounded())
    if milliseconds < 1000 { return "\(milliseconds)ms" }
    let (hours, minutes, rest) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds % 60_000)
    let parts = [(hours, "h"), (minutes, "m")].map { 0 < $0.0 ? "\($0.0)\($0.1)" : "" }.joined()
    return 0 < rest ? parts + plain(Double(rest) / 1000) + "s" : parts
  }

  /// A number with at most `digits` decimals and without trailing zeros. It does not depend on the locale.
  package static func decimal(_ value: Double, digits: Int) -> String {
    var scale: UInt64 = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int64((min(max(value, -1e12), 1e12) * Double(scale)).rounded())
    var text = "\(scaled.magnitude / scale)"
    var rest = scaled.magnitude % scale
    if rest != 0 { text += "." }
    while rest != 0 {
      rest *= 10
      text += "\(rest / scale)"
      rest %= scale
    }
    return (scaled < 0 ? "-" : "") + text
  }

  /// A number, without decimals if it is whole.
  package static func plain(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
  }
}

extension Node {
  static func number(_ number: Double) -> Node { .word(Spelling.plain(number)) }
}

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
