package import Signal

/// The gains and positions of both sides of a crossfade at the moment when it was paused.
package struct CrossfadePauseSnapshot: Sendable, Hashable {
  /// Gain of the outgoing (active) and of the incoming (inactive) track, 0…1.
  package let activeVolume: Float
  package let inactiveVolume: Float
  /// Positions in the two tracks in seconds.
  package let activePosition: Double
  package let inactivePosition: Double
  /// Length of the whole crossfade in seconds.
  package let originalDuration: Double
  package let curve: FadeCurve
  /// The time of the pause: seconds on a clock that ignores changes of the time of day and keeps running while the
  /// computer sleeps.
  package let taken: Double

  /// Age in seconds after which a snapshot is stale: the listener no longer remembers the sound before the pause.
  package static let maxAge = 300.0

  /// - Throws: `SnapshotError` if a gain is outside 0…1, or if a time is negative or not finite.
  package init(
    activeVolume: Float, inactiveVolume: Float, activePosition: Double, inactivePosition: Double,
    originalDuration: Double, curve: FadeCurve, taken: Double
  ) throws(SnapshotError) {
    guard (0...1).contains(activeVolume) else { throw .volume(activeVolume) }
    guard (0...1).contains(inactiveVolume) else { throw .volume(inactiveVolume) }
    guard 0 <= activePosition, activePosition.isFinite else { throw .position(activePosition) }
    guard 0 <= inactivePosition, inactivePosition.isFinite else { throw .position(inactivePosition) }
    guard 0 < originalDuration, originalDuration.isFinite else { throw .duration(originalDuration) }
    self.activeVolume = activeVolume
    self.inactiveVolume = inactiveVolume
    self.activePosition = activePosition
    self.inactivePosition = inactivePosition
    self.originalDuration = originalDuration
    self.curve = curve
    self.taken = taken
  }

  /// Seconds since the pause; 0 if the clock went backwards.
  package func age(at now: Double) -> Double { max(0, now - taken) }

  /// Whether the snapshot is older than `maxAge`. An age of exactly `maxAge` is not stale.
  package func isStale(at now: Double) -> Bool { Self.maxAge < age(at: now) }
}

/// The value that makes a snapshot invalid.
package enum SnapshotError: Error, Sendable, Hashable, CustomStringConvertible {
  case volume(Float)
  case position(Double)
  case duration(Double)

  package var description: String {
    switch self {
    case .volume(let volume): "a crossfade can't be paused at volume \(volume); volumes are between 0 and 1"
    case .position(let position): "a crossfade can't be paused \(position) s into a track; positions start at 0"
    case .duration(let duration): "a crossfade of \(duration) s can't be paused; its length must be greater than 0 s"
    }
  }
}
