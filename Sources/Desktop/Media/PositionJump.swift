import Player

/// Decides when a position has changed in another way than by playing, so that programs which show it must be told.
///
/// Programs count on from the last position that they know: from 0 when a track starts, and not during a pause.
struct PositionJump {
  /// Positions that differ less are equal. Progress bars show seconds.
  private static let tolerance = 0.2

  /// The position at one moment, in seconds.
  private struct Point {
    var track: Int
    var position: Double
    /// The session time, which stands still during a pause, as the position does.
    var session: Double
  }

  private var last: Point?

  /// Takes the next status, and returns whether the position has jumped since the one before.
  mutating func take(_ player: PlayerStatus) -> Bool {
    guard let track = player.trackID, let position = player.moment.position else { return false }
    let new = Point(track: track, position: position, session: player.moment.session)
    defer { last = new }
    // A track that starts in its middle, after a seek to another stage or with a resumed session.
    guard let last, last.track == track else { return 1 < position }
    let expected = last.position + new.session - last.session
    return Self.tolerance < abs(position - expected)
  }
}
