import Schedule
import Player

/// Detects when the position has changed in another way than by playback, so that `Seeked` must be emitted.
///
/// Programs calculate the current position from the last one that they know: it begins at 0 with each track, and
/// doesn't advance during a pause.
struct PositionJump {
  /// Smaller differences, in seconds, are ignored: progress bars show whole seconds.
  private static let tolerance = 0.2

  /// The position at one moment, in seconds.
  private struct Point {
    var track: TrackID
    var position: Double
    /// The session time, which doesn't advance during a pause.
    var session: Double
  }

  private var last: Point?

  /// Receives the next status, and returns whether the position has jumped since the previous one.
  mutating func update(_ player: PlayerStatus) -> Bool {
    guard let track = player.trackID, let position = player.moment.position else { return false }
    let new = Point(track: track, position: position, session: player.moment.session)
    defer { last = new }
    // A new track has jumped if it starts in its middle, as in a resumed session.
    guard let last, last.track == track else { return 1 < position }
    let expected = last.position + new.session - last.session
    return Self.tolerance < abs(position - expected)
  }
}
