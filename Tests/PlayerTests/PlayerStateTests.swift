@testable import Player
import Schedule
import Testing

@Suite struct PlayerStateTests {
  @Test func `a state takes at most 16 bytes, whatever it carries`() {
    #expect(MemoryLayout<PlayerState>.size <= 16)
  }

  @Test func `the names of the states are those used by events and scripts`() {
    let names = "idle preparing preparingCrossfade playing crossfading paused crossfadePaused fadingOut finished failed"
    #expect(PlayerState.Kind.allCases.map(\.rawValue) == names.split(separator: " ").map(String.init))
  }

  @Test(arguments: ExampleStates.all) func `each state is valid, near itself, and described by its name`(
    row: ExampleStates.Named
  ) {
    #expect(row.state.defect == nil)
    #expect(row.state.isNear(row.state))
    #expect("\(row.state)".hasPrefix(row.state.name))
    #expect(ExampleStates.all.allSatisfy { $0.name == row.name || !$0.state.isNear(row.state) })
  }

  @Test func `each state allows what its listener can do`() {
    let common = "toggle next previous nextStage previousStage extend reload gong volume finish stop cancel"
    for kind in PlayerState.Kind.allCases {
      let own =
        switch kind {
        case .idle, .preparing: "pause"
        case .playing, .preparingCrossfade, .crossfading, .fadingOut: "pause seek"
        case .paused, .crossfadePaused: "resume seek"
        case .finished, .failed: ""
        }
      let expected = own.isEmpty ? [] : "\(own) \(common)".split(separator: " ").map(String.init)
      #expect(Set(kind.actions.map(\.rawValue)) == Set(expected), "\(kind)")
      #expect(kind.isPaused == expected.contains("resume"))
      #expect(kind.isAudible == (expected.contains("pause") && expected.contains("seek")))
    }
  }

  @Test func `the positions of a paused crossfade are limited to what a track can have`() {
    let snapshot = CrossfadePauseSnapshot(activePosition: -1, inactivePosition: .nan, taken: 0)
    #expect((snapshot.activePosition, snapshot.inactivePosition) == (0, 0))
    #expect(CrossfadePauseSnapshot(activePosition: .infinity, inactivePosition: 2, taken: 0).inactivePosition == 2)
  }

  @Test func `a pause of a crossfade is stale after five minutes, and not before`() {
    let snapshot = CrossfadePauseSnapshot(activePosition: 0, inactivePosition: 0, taken: 1_000)
    #expect(snapshot.age(at: 1_000.5) == 0.5 && !snapshot.isStale(at: 1_000.5))
    #expect(!snapshot.isStale(at: 1_300) && snapshot.isStale(at: 1_300.001) && snapshot.isStale(at: 1_360))
    #expect(snapshot.age(at: 900) == 0 && !snapshot.isStale(at: 900))
  }

  @Test func `a crossfade paused in its first half continues, and a later or stale one finishes quickly`() {
    #expect(ResumeStrategy(progress: 0.499) == .continueFromProgress && ResumeStrategy(progress: 0.5) == .quickFinish)
    let state = ExampleStates.paused(progress: 0.47, .continueFromProgress)
    #expect(state.resumption(at: 300) == .continueFromProgress)
    #expect(state.resumption(at: 300.1) == .quickFinish)
    #expect(ExampleStates.paused(progress: 0.6, .quickFinish).resumption(at: 1) == .quickFinish)
    #expect(PlayerState.playing(track: ExampleStates.a).resumption(at: 1) == nil)
  }

  @Test func `a crossfade names both tracks and can finish quickly from its middle on`() {
    let early = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.499)
    let late = PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: 0.5)
    #expect(early.currentTrack == ExampleStates.a && early.nextTrack == ExampleStates.b)
    #expect(!early.canQuickFinish && late.canQuickFinish && !PlayerState.playing(track: ExampleStates.a).canQuickFinish)
    #expect(ExampleStates.paused(progress: 0.47, .quickFinish).nextTrack == ExampleStates.b)
    #expect(PlayerState.playing(track: ExampleStates.a).nextTrack == nil)
  }

  @Test func `a state with impossible values has a defect`() {
    let a = ExampleStates.a
    let b = ExampleStates.b
    for progress in [-0.01, 1.01, .nan, .infinity] {
      #expect(PlayerState.crossfading(from: a, to: b, progress: progress).defect != nil, "progress \(progress)")
    }
    #expect(PlayerState.crossfading(from: a, to: a, progress: 0).defect == .sameTrackTwice(title: "Dawn"))
    #expect(PlayerState.preparingCrossfade(current: b, next: b).defect == .sameTrackTwice(title: "Rain"))
    #expect(PlayerState.paused(track: a, position: -1).defect == .position(-1))
    #expect(PlayerState.paused(track: a, position: .nan).defect != nil)
    #expect(PlayerState.fadingOut(track: a, duration: -1).defect == .duration(-1))
    #expect(PlayerState.fadingOut(track: a, duration: 0).defect == nil)
  }

  @Test func `a track can crossfade into another pass of itself`() {
    let again = TrackInfo(id: TrackID(trackPlay: 9), title: ExampleStates.a.title, duration: 60)
    #expect(PlayerState.crossfading(from: ExampleStates.a, to: again, progress: 0.5).defect == nil)
  }

  @Test func `small differences leave states near each other, but not equal`() {
    let crossfading = { PlayerState.crossfading(from: ExampleStates.a, to: ExampleStates.b, progress: $0) }
    #expect(crossfading(0.470).isNear(crossfading(0.475)))
    #expect(!crossfading(0.470).isNear(crossfading(0.481)))
    #expect(crossfading(0.470) != crossfading(0.475))
    let paused = { PlayerState.paused(track: ExampleStates.a, position: $0) }
    #expect(paused(5).isNear(paused(5.09)) && !paused(5).isNear(paused(5.11)))
    let fading = { PlayerState.fadingOut(track: ExampleStates.a, duration: $0) }
    #expect(fading(3).isNear(fading(3.05)) && !fading(3).isNear(fading(2.8)))
  }

  @Test func `tracks are distinguished by their ID, not by their title`() {
    let again = TrackInfo(id: TrackID(trackPlay: 9), title: ExampleStates.a.title)
    #expect(!PlayerState.playing(track: ExampleStates.a).isNear(.playing(track: again)))
    #expect(
      PlayerState.playing(track: ExampleStates.a).isNear(
        .playing(track: TrackInfo(id: TrackID(trackPlay: 1), title: "renamed"))))
  }
}
