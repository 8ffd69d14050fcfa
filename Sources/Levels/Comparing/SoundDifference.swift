import Signal

/// How two sounds, A and B, differ. Times are seconds from the beginning of both, levels are in dBFS.
package struct SoundDifference: Sendable, Hashable {
  /// A time, and the level of A−B there.
  package struct Place: Sendable, Hashable {
    package var second: Double
    package var level: Double
  }

  /// The level up to which a sample of A−B counts as no difference.
  package var limit: Double
  /// The lengths in seconds.
  package var (lengthA, lengthB): (Double, Double)
  /// The seconds that B has more than A at its end; negative for missing seconds, 0 for the same length.
  package var addedSeconds: Double
  /// The largest magnitude of a sample of A−B.
  package var peak: Double
  /// The root mean square of A−B.
  package var rms: Double
  /// The first sample that differs, with the root mean square of the second that begins there; nil if the sounds are the
  /// same. If only the lengths differ, it is the end of the shorter sound.
  package var first: Place?
  /// The whole second, counted from 0, in which the root mean square of A−B is largest; nil as `first`.
  package var worst: Place?
  /// The spans of time in which the sounds differ, in order.
  package var spans: [DifferenceSpan]
  /// What the sounds have in common nevertheless; nil if no gain and no shift makes them similar.
  package var explanation: DifferenceExplanation?
  /// Every 0.1 s.
  package var steps: [ComparedStep]

  /// A difference of the lengths in seconds that is no difference: the rates of sounds are converted to whole frames.
  package static let lengthTolerance = 0.001

  /// Whether no sample differs by more than the limit, and the lengths are the same.
  package var isSame: Bool { first == nil }
}

/// What one constant gain, one shift in time or both leave of a difference.
package struct DifferenceExplanation: Sendable, Hashable {
  /// By how many decibels B is louder than A.
  package var decibels = 0.0
  /// Whether each sample of B has the opposite sign.
  package var isInverted = false
  /// By how many seconds B is later than A.
  package var shift = 0.0
  /// The seconds of the first and the last difference.
  package var from = 0.0
  package var to = 0.0
  /// The root mean square of A−B in dBFS that is left without this gain and this shift.
  package var rest: Double

  /// A gain or a shift explains a difference if it lowers it at least by this factor of its power, 12 dB.
  static let leastFactor = 16.0
  /// What a shift leaves without a counterpart has at most a fourth of the power of the difference.
  static let leastAloneFactor = 4.0
  /// Smaller gains in decibels explain nothing.
  static let leastGain = 0.1
}

/// A span of time in which two sounds differ in the same way.
package struct DifferenceSpan: Sendable, Hashable {
  /// In which way.
  package enum Kind: String, Sendable {
    /// It is the same sound at another level.
    case level
    case onlyA
    case onlyB
    /// The sounds are different ones.
    case sound
  }

  package var kind: Kind
  /// Seconds, in steps of 0.1 s.
  package var from: Double
  package var to: Double
  /// By how many decibels B is louder than A; infinite if only one of them sounds.
  package var decibels: Double
  /// The largest magnitude of a sample of A−B in dBFS.
  package var peak: Double
}

/// The powers of 0.1 s of two sounds, as mean squares over both channels.
package struct ComparedStep: Sendable, Hashable {
  package var a: Float
  package var b: Float
  /// The mean of the products of their samples.
  package var product: Float
  /// The mean square of A−B.
  package var difference: Float
  /// The largest magnitude of a sample of A−B.
  package var peak: Float
}
