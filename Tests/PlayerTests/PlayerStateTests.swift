@testable import Player
import Schedule
import Schedule
import Testing

@Suite struct PlayerStateTests {
  @Test func `a state is one reference wide, whatever it carries`() {
    #expect(MemoryLayout<PlayerState>.size <= 16)
  }

  @Test func `the names are those that events and scripts use`() {
    let names = "idle preparing preparingCrossfade playing crossfading paused crossfadePaused fadingOut finished failed"
    #expect(PlayerState.Kind.allCases.map(\.rawValue) == names.split(separator: " ").map(String.init))
  }

  @Test(arguments: States.all) func `each state is sound, near itself, and says its name`(row: States.Named) {
    #expect(row.state.isValid)
    #expect(row.state.isNear(row.state))
    #expect("\(row.state)".hasPrefix(row.state.name))
    #expect(!row.state.statusText.isEmpty && !row.state.displayText.isEmpty && !row.state.indicatorColor.isEmpty)
    #expect(States.all.allSatisfy { $0.name == row.name || !$0.state.isNear(row.state) })
  }

  /// State, then: active, audible, can be paused, can be resumed, ends, crossfade, progress, loading; actions.
  @Test(arguments: [
    ("idle", "--------", "play"), ("preparingA", "-------l", "stop"),
    ("preparingAB", "-sp--c-l", "pause skip stop"), ("playingA", "asp---b-", "pause skip stop"),
    ("silence", "asp---b-", "pause skip stop"), ("crossfadingAB", "asp--cb-", "pause skip stop"),
    ("pausedA", "---r--b-", "resume stop"), ("crossfadePausedAB", "---r-cb-", "resume stop"),
    ("fadingOutA", "asp---bl", "pause"), ("finished", "----t---", "play"), ("failed", "----t---", "retry stop"),
    ("failedForGood", "----t---", "stop"),
  ])
  func `what holds in a state`(name: String, letters: String, actions: String) throws {
    let state = try #require(States.all.first { $0.name == name }).state
    let facts = [
      state.isActive, state.isAudible, state.canPause, state.canResume, state.isTerminal, state.isCrossfadeRelated,
      state.showsProgress, state.showsLoading,
    ]
    #expect(String(zip("asprtcbl", facts).map { $1 ? $0 : "-" }) == letters)
    #expect(state.allowedActions.map(\.rawValue).sorted().joined(separator: " ") == actions)
  }

  @Test func `a crossfade names both tracks and can be hurried from its middle on`() {
    let early = PlayerState.crossfading(from: States.a, to: States.b, progress: 0.499)
    let late = PlayerState.crossfading(from: States.a, to: States.b, progress: 0.5)
    #expect(early.currentTrack == States.a && early.nextTrack == States.b)
    #expect(!early.canQuickFinish && late.canQuickFinish && !PlayerState.playing(track: States.a).canQuickFinish)
    #expect(States.paused(progress: 0.47, .quickFinish).nextTrack == States.b)
    #expect(PlayerState.playing(track: States.a).nextTrack == nil)
  }

  @Test func `percentages are cut off, not rounded up`() {
    let almost = PlayerState.crossfading(from: States.a, to: States.b, progress: 0.999)
    #expect(almost.statusText == "Crossfading 99%")
    #expect(almost.displayText == "Transitioning to Rain (99%)")
    #expect(
      States.paused(progress: 0.47, .continueFromProgress).displayText == "Paused during transition (47%, resuming)")
    #expect(States.paused(progress: 0.7, .quickFinish).displayText == "Paused during transition (70%, finishing soon)")
    let broken = PlayerState.crossfading(from: States.a, to: States.b, progress: .nan)
    #expect(broken.statusText == "Crossfading ?%")
  }

  @Test func `what no player can be in is told`() {
    let a = States.a
    let b = States.b
    for progress in [-0.01, 1.01, .nan, .infinity] {
      #expect(!PlayerState.crossfading(from: a, to: b, progress: progress).isValid, "progress \(progress)")
    }
    #expect(PlayerState.crossfading(from: a, to: a, progress: 0).defect == .sameTrackTwice(title: "Dawn"))
    #expect(PlayerState.preparingCrossfade(current: b, next: b).defect == .sameTrackTwice(title: "Rain"))
    #expect(PlayerState.paused(track: a, position: -1).defect == .position(-1))
    #expect(!PlayerState.paused(track: a, position: .nan).isValid)
    #expect(PlayerState.fadingOut(track: a, duration: -1).defect == .duration(-1))
    #expect(PlayerState.fadingOut(track: a, duration: 0).isValid)
  }

  @Test func `one track in two playings can be crossfaded into itself`() {
    let again = TrackInfo(id: 9, title: States.a.title, duration: 60)
    #expect(PlayerState.crossfading(from: States.a, to: again, progress: 0.5).isValid)
  }

  @Test func `small differences are none to a reader, but never equal`() {
    let crossfading = { PlayerState.crossfading(from: States.a, to: States.b, progress: $0) }
    #expect(crossfading(0.470).isNear(crossfading(0.475)))
    #expect(!crossfading(0.470).isNear(crossfading(0.481)))
    #expect(crossfading(0.470) != crossfading(0.475))
    let paused = { PlayerState.paused(track: States.a, position: $0) }
    #expect(paused(5).isNear(paused(5.09)) && !paused(5).isNear(paused(5.11)))
    let fading = { PlayerState.fadingOut(track: States.a, duration: $0) }
    #expect(fading(3).isNear(fading(3.05)) && !fading(3).isNear(fading(2.8)))
  }

  @Test func `tracks are told apart by their playing, not by their title`() {
    let again = TrackInfo(id: 9, title: States.a.title)
    #expect(!PlayerState.playing(track: States.a).isNear(.playing(track: again)))
    #expect(PlayerState.playing(track: States.a).isNear(.playing(track: TrackInfo(id: 1, title: "renamed"))))
  }
}
