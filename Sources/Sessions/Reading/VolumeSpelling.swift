package import Signal

/// How volumes are written: 0…1, or decibels as text, `"-6dB"`.
package enum VolumeSpelling {
  package static let decibels = -60.0...12.0

  /// Decibels of a text such as `"-6dB"` or `"+1.5dB"`, whatever their range; nil for anything else.
  package static func decibels(_ text: String) -> Double? {
    guard text.hasSuffix("dB") else { return nil }
    let signed = text.dropLast(2)
    var number = signed.first.map { "+-".contains($0) } == true ? signed.dropFirst() : signed
    guard let size = Digits.takeDecimal(from: &number), number.isEmpty else { return nil }
    return signed.first == "-" ? -size : size
  }

  /// The factor for decibels within `decibels`; exactly 1 for 0 dB.
  package static func gain(_ decibels: Double) -> Gain { decibels == 0 ? .unity : Gain(decibels: decibels) }
}
