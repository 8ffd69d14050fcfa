import Foundation
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
    let refused = ExampleStates.all.filter { row.state.refusal(of: $0.state) != nil }
    #expect(Set(refused.map(\.name)) == Set(expected.split(separator: " ").map(String.init)))
  }

  @Test func `the article shows which state may follow which`() throws {
    let rows = PlayerState.Kind.allCases.map { kind in
      let next = PlayerState.Kind.allCases.filter { other in
        other != .idle
          && ExampleStates.all.contains { from in
            from.state.kind == kind
              && ExampleStates.all.contains { to in
                to.state.kind == other && to.name != from.name && from.state.refusal(of: to.state) == nil
              }
          }
      }
      return kind.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0) + " → "
        + next.map(\.rawValue).joined(separator: ", ")
    }
    let article = URL(filePath: #filePath)
      .appending(path: "../../../Sources/ProsperKit/ProsperKit.docc/Events.md").standardized
    let text = try String(contentsOf: article, encoding: .utf8)
    let diagram = rows.joined(separator: "\n")
    #expect(text.contains(diagram), "put this into Events.md:\n\(diagram)")
  }

  @Test func `the table has a row for each state`() {
    #expect(Set(Self.table.keys) == Set(ExampleStates.all.map(\.name)))
    #expect(Set(ExampleStates.all.map(\.state.kind)) == Set(PlayerState.Kind.allCases))
  }

  @Test func `a track that is being prepared is not prepared again`() {
    let renamed = TrackInfo(id: ExampleStates.a.id, title: "renamed")
    #expect(!PlayerState.preparing(track: ExampleStates.a).canBecome(.preparing(track: renamed)))
  }

  @Test func `a pause leads to the track that was paused, and nothing crossfades before something plays`() {
    let (a, b) = (ExampleStates.a, ExampleStates.b)
    let refusal = PlayerState.paused(track: a, position: 1).refusal(of: .playing(track: b))
    #expect(refusal == .notAllowed(from: .paused(track: a, position: 1), to: .playing(track: b)))
    #expect(PlayerState.idle.refusal(of: .crossfading(from: a, to: b, progress: 0)) != nil)
    #expect(PlayerState.paused(track: a, position: 1).refusal(of: .playing(track: a)) == nil)
    #expect(PlayerState.playing(track: a).refusal(of: .paused(track: a, position: -1))?.description.isEmpty == false)
  }

  @Test func `the progress of a crossfade never decreases`() {
    let at = { PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: $0) }
    #expect(at(0.5).canBecome(at(0.5)) && at(0.5).canBecome(at(0.6)) && !at(0.5).canBecome(at(0.4)))
    #expect(!at(0.5).canBecome(ExampleStates.paused(progress: 0.4, .continueFromProgress)))
  }

  @Test func `a crossfade is paused only with both of its tracks`() {
    let other = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.c, progress: 0.47)
    #expect(!other.canBecome(ExampleStates.paused(progress: 0.47, .continueFromProgress)))
  }

  private static let preparing = "preparingA preparingB"
  private static let crossfades = "preparingAB preparingAC"
  private static let crossfading = "crossfadingAB crossfadingBC"
  private static let paused = "pausedA pausedB pausedC pausedSilence"
  private static let crossfadePaused = "crossfadePausedAB quickFinishAB"
  private static let fadingOut = "fadingOutA fadingOutB"
  private static let silent = "\(preparing) \(crossfades) \(crossfadePaused)"
  /// The states in which something plays or is paused.
  private static let music =
    "\(crossfades) playingA playingB silence \(crossfading) \(paused) \(crossfadePaused) \(fadingOut)"

  private static let table: [String: String] = [
    "idle": "\(crossfades) playingA playingB \(crossfading) \(paused) \(crossfadePaused)",
    "preparingA": "\(crossfades) \(crossfading) \(crossfadePaused)",
    "preparingB": "\(crossfades) \(crossfading) \(crossfadePaused)",
    "preparingAB": "\(preparing) preparingAC \(crossfadePaused)",
    "preparingAC": "\(preparing) preparingAB \(crossfadePaused)",
    "playingA": "\(preparing) \(crossfadePaused)",
    "playingB": silent,
    "silence": silent,
    "crossfadingAB": "\(preparing) \(crossfades)",
    "crossfadingBC": silent,
    "pausedA": "\(crossfades) playingB crossfadingBC \(crossfadePaused)",
    "pausedB": "\(crossfades) playingA \(crossfadePaused)",
    "pausedC": "\(crossfades) playingA playingB crossfadingAB \(crossfadePaused)",
    "pausedSilence": "\(crossfades) \(crossfading) \(crossfadePaused)",
    "crossfadePausedAB": "\(preparing) \(crossfades) playingA playingB silence crossfadingBC",
    "quickFinishAB": "\(preparing) \(crossfades) playingA playingB silence crossfadingBC",
    "fadingOutA": silent,
    "fadingOutB": silent,
    "finished": music,
    "failed": "\(music) finished failedForGood",
    "failedForGood": "\(music) finished failed",
  ]
}
