import Markup
package import Signal

/// Reads volumes that are written in decibels or in percent, such as `"-6dB"` and `"80%"`.
package enum VolumeSpelling {
  /// The range of volumes. Only tracks, sounds, and the volumes of all music or overlays may exceed 0 dB.
  package static let decibels = -60.0...12.0

  /// The decibels that a text such as `"-6dB"` or `"+1.5dB"` states, in any range; nil for any other text.
  package static func decibels(_ text: String) -> Double? { number(text, before: "dB") }

  /// The gain for a volume of at most 1, such as `0.5`, `50%` or `-6dB`; nil for any other text.
  package static func attenuation(_ text: String) -> Gain? {
    if let factor = Double(text), 0...1 ~= factor { return Gain(linear: Float(factor)) }
    if let decibels = decibels(text), -60...0 ~= decibels { return gain(decibels) }
    if let percent = percent(text), 0...100 ~= percent { return Gain(linear: Float(percent / 100)) }
    return nil
  }

  /// The number in a text such as `"80%"` or `"-10%"`, without a check of the range; nil for any other text.
  package static func percent(_ text: String) -> Double? { number(text, before: "%") }

  /// The number in front of a unit, with or without a sign.
  private static func number(_ text: String, before unit: String) -> Double? {
    guard text.hasSuffix(unit) else { return nil }
    let signed = text.dropLast(unit.count)
    var number = signed.first.map { "+-".contains($0) } == true ? signed.dropFirst() : signed
    guard let size = Digits.takeDecimal(from: &number), number.isEmpty else { return nil }
    return signed.first == "-" ? -size : size
  }

  /// Whether a word of `prosper ctl` is a relative change: it begins with a plus, or is a negative percentage. `-6dB`
  /// is a volume, 6 dB below full volume.
  static func isChange(_ word: String) -> Bool {
    word.hasPrefix("+") || (word.hasPrefix("-") && word.hasSuffix("%"))
  }

  /// The gain for a value within `decibels`; exactly 1 for 0 dB, so that a volume of 0 dB changes no sample.
  package static func gain(_ decibels: Double) -> Gain { decibels == 0 ? .unity : Gain(decibels: decibels) }
}
