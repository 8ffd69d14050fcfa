import Glibc

/// A measured level in decibels below full scale; silence is −∞.
public struct Level: Comparable, Hashable, Sendable {
  public let decibels: Double

  public init(decibels: Double) { self.decibels = decibels }

  public init(peak: Float) { decibels = 20 * log10(Double(peak)) }

  /// Of the root mean square of both channels.
  public init(rms frames: some Collection<Frame>) {
    var power = 0.0
    for frame in frames {
      power += Double(frame.left) * Double(frame.left) + Double(frame.right) * Double(frame.right)
    }
    decibels = frames.isEmpty ? -.infinity : 10 * log10(power / Double(2 * frames.count))
  }

  public static func < (a: Level, b: Level) -> Bool { a.decibels < b.decibels }
}
