public import Signal

/// Where both sides of a crossfade stood when it was paused.
public struct CrossfadePauseSnapshot: Sendable, Hashable {
  /// Gains 0…1 of the track on its way out, and of the one on its way in.
  public let activeVolume: Float
  public let inactiveVolume: Float
  /// Seconds into the two tracks.
  public let activePosition: Double
  public let inactivePosition: Double
  /// Seconds that the whole crossfade takes.
  public let originalDuration: Double
  public let curve: FadeCurve
  /// When it was paused: seconds on a clock that no change of the time of day touches, and that goes on while the
  /// computer sleeps.
  public let taken: Double

  /// Seconds after which what was heard before the pause has been forgotten.
  public static let maxAge = 300.0

  public init(
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

  /// Seconds since it was taken; 0 for a clock that went backwards.
  public func age(at now: Double) -> Double { max(0, now - taken) }

  /// Exactly `maxAge` is still fresh.
  public func isStale(at now: Double) -> Bool { Self.maxAge < age(at: now) }
}

/// What makes a snapshot one of no crossfade that ever sounded.
public enum SnapshotError: Error, Sendable, Hashable, CustomStringConvertible {
  case volume(Float)
  case position(Double)
  case duration(Double)

  public var description: String {
    switch self {
    case .volume(let volume): "a crossfade can't be paused at volume \(volume); volumes lie between 0 and 1"
    case .position(let position): "a crossfade can't be paused \(position) s into a track; positions begin at 0"
    case .duration(let duration): "a crossfade of \(duration) s can't be paused; it takes longer than 0 s"
    }
  }
}
