@testable import Desktop
import Player
import Schedule
import Testing

/// The statuses after which `Seeked` must be emitted.
@Suite struct PositionJumpTests {
  private func status(track: Int?, at position: Double?, session: Double) -> PlayerStatus {
    var status = PlayerStatus(
      title: "", moment: PlayerMoment(run: 0, session: session, state: "playing", position: position))
    status.trackID = track.map { TrackID(trackPlay: $0) }
    return status
  }

  private func jumps(_ points: (track: Int?, position: Double?, session: Double)...) -> [Bool] {
    var jump = PositionJump()
    return points.map { jump.update(status(track: $0.track, at: $0.position, session: $0.session)) }
  }

  @Test func `a track that plays and pauses does not jump`() {
    let found = jumps((1, 0, 0), (1, 2.5, 2.5), (1, 2.52, 2.52), (1, 2.52, 2.52), (1, 9, 9))
    #expect(found == Array(repeating: false, count: 5))
  }

  @Test func `a seek jumps, forward and backward`() {
    #expect(jumps((1, 10, 10), (1, 25, 10.1), (1, 26, 11.1), (1, 11, 11.1)) == [true, true, false, true])
  }

  @Test func `a track that starts at its beginning does not jump, one that starts later does`() {
    #expect(jumps((1, 0.1, 0), (2, 0.1, 60), (3, 30, 61), (3, 31, 62)) == [false, false, true, false])
  }

  @Test func `a part without music is no jump, and a track after it starts from 0`() {
    #expect(jumps((1, 0, 0), (nil, nil, 5), (1, 3, 3)) == [false, false, false])
  }
}
