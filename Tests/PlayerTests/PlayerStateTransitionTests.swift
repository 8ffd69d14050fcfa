@testable import Player
import Testing

/// Every pair of states, identified by their values. A row names a state and all states that may follow it; all
/// others are refused.
@Suite struct PlayerStateTransitionTests {
  @Test(arguments: ExampleStates.all) func `each state can be followed only by the states in its row of the table`(
    row: ExampleStates.Named
  ) throws {
    let expected = try #require(Self.table[row.name])
    let allowed = ExampleStates.all.filter { row.state.canTransition(to: $0.state) }.map(\.name)
    #expect(Set(allowed) == Set(expected.split(separator: " ").map(String.init)).union(Self.always(row.state)))
  }

  @Test func `the table has a row for each state`() {
    #expect(Set(Self.table.keys) == Set(ExampleStates.all.map(\.name)))
    #expect(Set(ExampleStates.all.map(\.state.kind)) == Set(PlayerState.Kind.allCases))
  }

  @Test func `progress never decreases`() {
    let early = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.4)
    let late = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.6)
    #expect(early.canTransition(to: late))
    #expect(!late.canTransition(to: early))
  }

  /// Every state can become idle, and every state that has not failed can fail.
  private static func always(_ state: PlayerState) -> Set<String> {
    switch state.kind {
    case .idle: ["failed", "failedForGood"]
    case .failed: ["idle"]
    case .crossfadePaused: ["idle", "failed"]
    default: ["idle", "failed", "failedForGood"]
    }
  }

  private static let paused = "pausedA pausedB pausedC pausedSilence"
  private static let preparing = "preparingA preparingB"
  private static let fading = "fadingOutA fadingOutB"

  private static let table: [String: String] = [
    "idle": "\(preparing) silence finished",
    "preparingA": "preparingB playingA playingB silence \(paused) finished",
    "preparingB": "preparingA playingA playingB silence \(paused) finished",
    "preparingAB": "preparingAC crossfadingAB playingA pausedA \(fading) finished",
    "preparingAC": "preparingAB playingA pausedA \(fading) finished",
    "playingA": "playingB silence pausedA preparingAB preparingAC crossfadingAB \(fading) finished",
    "playingB": "playingA silence pausedB crossfadingBC \(fading) finished",
    "silence": "playingA playingB pausedSilence \(fading) finished",
    "crossfadingAB": "crossfadePausedAB quickFinishAB playingA playingB preparingAB preparingAC \(fading) finished",
    "crossfadingBC": "playingB \(fading) finished",
    "pausedA": "playingA pausedB pausedC pausedSilence \(preparing) \(fading) finished",
    "pausedB": "playingB pausedA pausedC pausedSilence \(preparing) \(fading) finished",
    "pausedC": "pausedA pausedB pausedSilence \(preparing) \(fading) finished",
    "pausedSilence": "silence pausedA pausedB pausedC \(preparing) \(fading) finished",
    "crossfadePausedAB": "crossfadingAB quickFinishAB pausedC pausedSilence \(preparing) \(fading) finished",
    "quickFinishAB": "crossfadingAB crossfadePausedAB playingB pausedC pausedSilence \(preparing) \(fading) finished",
    "fadingOutA": "fadingOutB playingA playingB silence crossfadingAB \(paused) finished",
    "fadingOutB": "fadingOutA playingA playingB silence crossfadingBC \(paused) finished",
    "finished": preparing,
    "failed": preparing,
    "failedForGood": preparing,
  ]
}
