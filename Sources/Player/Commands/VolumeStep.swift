package import Signal

/// A change of a volume, relative to the present one.
package enum VolumeStep: Sendable, Hashable {
  /// A share of full volume: 0.1 makes 70 % out of 60 %.
  case share(Double)
  /// Decibels. Silence stays silent.
  case decibels(Double)

  /// The volume after the change, 0…1.
  package func applied(to volume: Gain) -> Gain {
    let linear = Double(volume.linear)
    let target =
      switch self {
      // Ten steps of a tenth lead from silence to exactly full volume.
      case .share(let share): ((linear + share) * 10_000).rounded() / 10_000
      case .decibels(let decibels): linear * Double(Gain(decibels: decibels).linear)
      }
    return Gain(linear: Float(min(1, max(0, target))))
  }
}
