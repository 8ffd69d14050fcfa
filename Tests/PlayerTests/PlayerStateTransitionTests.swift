@testable import Player
import Schedule
import Testing

/// Every pair of states, identified by their values. A row names a state and all states that can't follow it; all
/// others, and the state itself, are accepted.
@Suite struct PlayerStateTransitionTests {
  @Test(arguments: ExampleStates.all) func `each state refuses only the states in its row of the table`(
    row: ExampleStates.Named
  ) throws {
    let expected = try #require(Self.table[row.name])
    let refused = ExampleStates.all.filter { next in
      var machine = PlayerStateMachine(row.state)
      return machine.apply(next.state) != nil
    }
    #expect(Set(refused.map(\.name)) == Set(expected.split(separator: " ").map(String.init)))
  }

  @Test func `the table has a row for each state`() {
    #expect(Set(Self.table.keys) == Set(ExampleStates.all.map(\.name)))
    #expect(Set(ExampleStates.all.map(\.state.kind)) == Set(PlayerState.Kind.allCases))
  }

  @Test func `a track that is being prepared is not prepared again`() {
    let renamed = TrackInfo(id: ExampleStates.a.id, title: "renamed")
    #expect(!PlayerState.preparing(track: ExampleStates.a).canBecome(.preparing(track: renamed)))
  }

  @Test func `a crossfade is paused only with both of its tracks`() {
    let other = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.c, progress: 0.47)
    #expect(!other.canBecome(ExampleStates.paused(progress: 0.47, .continueFromProgress)))
  }

  private static let preparing = "preparingA preparingB"
  private static let crossfadePaused = "crossfadePausedAB quickFinishAB"
  private static let both = "\(preparing) \(crossfadePaused)"
  /// The states in which something plays or is paused.
  private static let music =
    "preparingAB preparingAC playingA playingB silence crossfadingAB crossfadingBC pausedA pausedB pausedC "
    + "pausedSilence crossfadePausedAB quickFinishAB fadingOutA fadingOutB"

  private static let table: [String: String] = [
    "idle": crossfadePaused,
    "preparingA": crossfadePaused,
    "preparingB": crossfadePaused,
    "preparingAB": both,
    "preparingAC": both,
    "playingA": both,
    "playingB": both,
    "silence": both,
    "crossfadingAB": preparing,
    "crossfadingBC": both,
    "pausedA": crossfadePaused,
    "pausedB": crossfadePaused,
    "pausedC": crossfadePaused,
    "pausedSilence": crossfadePaused,
    "crossfadePausedAB": "",
    "quickFinishAB": "",
    "fadingOutA": both,
    "fadingOutB": both,
    "finished": music,
    "failed": "\(music) finished failedForGood",
    "failedForGood": "\(music) finished failed",
  ]
}
