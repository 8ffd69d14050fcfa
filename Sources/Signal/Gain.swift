import Glibc

/// A linear factor for amplitudes; 1 leaves the sound unchanged.
@frozen public struct Gain: BitwiseCopyable, Sendable, Hashable, Codable {
  /// The factor, 0 or more; 1 is full volume.
  public var linear: Float

  /// Full volume: the sound is unchanged.
  public static let unity = Gain(linear: 1)
  /// No sound.
  public static let silence = Gain(linear: 0)

  /// The gain with a factor, 0 or more.
  @inlinable public init(linear: Float) { self.linear = linear }

  /// The factor 10^(dB/20).
  public init(decibels: Double) { self.init(linear: Float(pow(10, decibels / 20))) }

  /// The gain in decibels; silence is −∞.
  public var decibels: Double { 20 * log10(Double(linear)) }

  /// The gain of two stages in a row.
  public static func * (a: Gain, b: Gain) -> Gain { Gain(linear: a.linear * b.linear) }
}
