package import Signal

/// A change of a volume, relative to the current one.
public enum VolumeStep: Sendable, Hashable {
  /// An added share of full volume: 0.1 changes 60 % to 70 %.
  case share(Double)
  /// Added decibels. A volume of 0 stays 0.
  case decibels(Double)

  /// The volume after the change, from 0 to `maximum`.
  package func applied(to volume: Gain, upTo maximum: Gain = .unity) -> Gain {
    let linear = Double(volume.linear)
    let target =
      switch self {
      // Rounded, so that ten steps of a tenth lead from 0 to exactly 1.
      case .share(let share): ((linear + share) * 10_000).rounded() / 10_000
      case .decibels(let decibels): linear * Double(Gain(decibels: decibels).linear)
      }
    return Gain(linear: Float(min(Double(maximum.linear), max(0, target))))
  }
}
