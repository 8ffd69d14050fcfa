package import Player
package import SessionFiles
import Signal

/// Formats numbers and names for the text report.
enum ReportWords {
  /// A time that always has milliseconds, so that the columns are aligned.
  static func time(_ frame: FrameTime, _ rate: SampleRate) -> String { Clock.text(frame, rate, alwaysExact: true) }

  /// A length such as `10 s` or `0.02 s`, to the millisecond and without trailing zeros.
  static func seconds(_ frames: FrameCount, _ rate: SampleRate) -> String {
    Spelling.decimal(rate.seconds(frames), digits: 3) + " s"
  }

  /// A gain in decibels with one decimal; "silent" for a gain of 0, which has no decibels.
  static func decibels(_ gain: Gain) -> String {
    gain.linear <= 0 ? "silent" : Spelling.decimal(gain.decibels, digits: 1) + " dB"
  }

  /// A loudness such as `-23.0 LUFS`; "silent" for −∞.
  static func loudness(_ loudness: Double) -> String {
    loudness.isFinite ? "\(Level.text(loudness)) LUFS" : "silent"
  }

  /// A difference of two loudnesses, without its sign.
  static func lu(_ difference: Double) -> String { "\(Level.text(abs(difference))) LU" }

  /// A number of decibels with one decimal and its sign.
  static func signed(_ decibels: Double) -> String {
    let text = Level.text(decibels)
    return text.hasPrefix("-") ? text : "+" + text
  }

  /// A title on one line, without control characters.
  static func whole(_ title: String) -> String {
    String(title.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 })
  }

  /// A title on one line, without control characters, at most `width` characters long.
  static func line(_ title: String, width: Int = 100) -> String {
    let clean = whole(title)
    return clean.count <= width ? clean : clean.prefix(width - 1) + "…"
  }
}

extension SessionParameter {
  /// The parameter for a list: its name, value, default and choices, and what it means.
  package var line: String {
    var notes: [String] = []
    if let standard, standard != value { notes.append("default \(standard)") }
    if standard == nil, value == nil { notes.append("no default") }
    if !choices.isEmpty { notes.append("of \(choices.joined(separator: ", "))") }
    let head = "\(name) = \(value ?? "?")" + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
    return ReportWords.line(head + (summary.map { ": \($0)" } ?? ""))
  }

  /// `name`, `value`, `default`, `description` and `values`.
  package var json: JSONLine {
    [
      "name": name, "value": value, "default": standard,
      "description": summary, "values": choices,
    ]
  }
}
