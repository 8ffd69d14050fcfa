import Glibc

/// A measured level in decibels relative to full scale (dBFS): 0 is full scale, silence is −∞.
public struct Level: Comparable, Hashable, Sendable {
  public let decibels: Double

  public init(decibels: Double) { self.decibels = decibels }

  /// The level of a peak; full scale is 1.
  public init(peak: Float) { decibels = 20 * log10(Double(peak)) }

  /// The level of a mean square; full scale is 1.
  public init(power: Double) { decibels = 10 * log10(power) }

  /// The root mean square of both channels over `frames`; −∞ if there are no frames.
  public init(rms frames: some Collection<Frame>) {
    var power = 0.0
    for frame in frames {
      power += Double(frame.left) * Double(frame.left) + Double(frame.right) * Double(frame.right)
    }
    decibels = frames.isEmpty ? -.infinity : 10 * log10(power / Double(2 * frames.count))
  }

  /// A number of decibels with one decimal, such as `-23.0`; `-inf` for −∞.
  public static func text(_ decibels: Double) -> String {
    guard decibels.isFinite, abs(decibels) < 1e9 else { return decibels < 0 ? "-inf" : "inf" }
    let tenths = Int64((decibels * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  public static func < (a: Level, b: Level) -> Bool { a.decibels < b.decibels }
}
