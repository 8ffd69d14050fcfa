/// Where both sides of a crossfade stood when it was paused.
public struct CrossfadePauseSnapshot: Sendable, Hashable {
  /// Position in the outgoing (active) track in seconds, 0 or more.
  public let activePosition: Double
  /// Position in the incoming (inactive) track in seconds, 0 or more.
  public let inactivePosition: Double
  /// The time of the pause: seconds on a clock that ignores changes of the time of day and keeps running while the
  /// computer sleeps.
  let taken: Double

  /// Age in seconds after which a snapshot is stale: the listener no longer remembers the sound before the pause.
  package static let maxAge = 300.0

  /// Positions are limited to 0 and more; one that is not finite counts as 0.
  package init(activePosition: Double, inactivePosition: Double, taken: Double) {
    let clamped = { (position: Double) in position.isFinite ? max(0, position) : 0 }
    (self.activePosition, self.inactivePosition) = (clamped(activePosition), clamped(inactivePosition))
    self.taken = taken
  }

  /// Seconds since the pause; 0 if the clock went backwards.
  package func age(at now: Double) -> Double { max(0, now - taken) }

  /// Whether the snapshot is older than `maxAge`. An age of exactly `maxAge` is not stale.
  package func isStale(at now: Double) -> Bool { Self.maxAge < age(at: now) }
}
