import Schedule
import Signal
import Testing

@testable import Player

@Suite struct CrossfadePauseSnapshotTests {
  @Test func `values that no crossfade can have are rejected`() throws {
    for volume: Float in [-0.1, 1.1, .nan, .infinity] {
      #expect(throws: SnapshotError.self) { try ExampleStates.snapshot(active: volume) }
      #expect(throws: SnapshotError.self) { try ExampleStates.snapshot(inactive: volume) }
    }
    for position in [-1, .nan, .infinity] {
      #expect(throws: SnapshotError.self) { try ExampleStates.snapshot(positions: (position, 0)) }
      #expect(throws: SnapshotError.self) { try ExampleStates.snapshot(positions: (0, position)) }
    }
    for duration in [0, -5, .nan, .infinity] {
      #expect(throws: SnapshotError.self) { try ExampleStates.snapshot(duration: duration) }
    }
    #expect(throws: SnapshotError.volume(1.5)) { try ExampleStates.snapshot(active: 1.5) }
    _ = try ExampleStates.snapshot(active: 0, inactive: 1, positions: (0, 0), duration: 0.001)
  }

  @Test func `a snapshot is stale after five minutes, and not before`() throws {
    let snapshot = try ExampleStates.snapshot(taken: 1_000)
    #expect(snapshot.age(at: 1_000.5) == 0.5 && !snapshot.isStale(at: 1_000.5))
    #expect(!snapshot.isStale(at: 1_300) && snapshot.isStale(at: 1_300.001) && snapshot.isStale(at: 1_360))
    #expect(snapshot.age(at: 900) == 0 && !snapshot.isStale(at: 900))
  }

  @Test func `snapshots with the same values are equal`() throws {
    let snapshot = try ExampleStates.snapshot(taken: 5)
    #expect(try snapshot == ExampleStates.snapshot(taken: 5))
    #expect(try snapshot != ExampleStates.snapshot(taken: 6))
  }

  @Test func `a crossfade paused in its first half continues, and a later or stale one finishes quickly`() throws {
    #expect(ResumeStrategy(progress: 0.499) == .continueFromProgress && ResumeStrategy(progress: 0.5) == .quickFinish)
    let state = ExampleStates.paused(progress: 0.47, .continueFromProgress)
    #expect(state.resumption(at: 300) == .continueFromProgress)
    #expect(state.resumption(at: 300.1) == .quickFinish)
    #expect(ExampleStates.paused(progress: 0.6, .quickFinish).resumption(at: 1) == .quickFinish)
    #expect(PlayerState.playing(track: ExampleStates.a).resumption(at: 1) == nil)
  }
}
