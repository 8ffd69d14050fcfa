package import Signal

/// How volumes are written: 0…1, or decibels as text, `"-6dB"`.
package enum VolumeSpelling {
  package static let decibels = -60.0...12.0

  /// Decibels of a text such as `"-6dB"` or `"+1.5dB"`, whatever their range; nil for anything else.
  package static func decibels(_ text: String) -> Double? {
    guard let match = text.wholeMatch(of: #/([+-]?[0-9]+(?:\.[0-9]+)?)dB/#) else { return nil }
    return Double(match.1)
  }

  /// The factor for decibels within `decibels`; exactly 1 for 0 dB.
  package static func gain(_ decibels: Double) -> Gain { decibels == 0 ? .unity : Gain(decibels: decibels) }
}
