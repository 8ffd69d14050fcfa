import Engine
import Player
import Schedule
import Signal
import Sounds
import Testing

/// At least one example of each state, for tests that cover all states.
enum ExampleStates {
  struct Named: Sendable, CustomTestStringConvertible {
    var name: String
    var state: PlayerState
    var testDescription: String { name }
  }

  static let a = TrackInfo(id: TrackID(trackPlay: 1), title: "Dawn", duration: 60)
  static let b = TrackInfo(id: TrackID(trackPlay: 2), title: "Rain", duration: 90)
  static let c = TrackInfo(id: TrackID(trackPlay: 3), title: "Bells")

  static let all: [Named] = [
    Named(name: "idle", state: .idle),
    Named(name: "preparingA", state: .preparing(track: a)),
    Named(name: "preparingB", state: .preparing(track: b)),
    Named(name: "preparingAB", state: .preparingCrossfade(current: a, next: b)),
    Named(name: "preparingAC", state: .preparingCrossfade(current: a, next: c)),
    Named(name: "playingA", state: .playing(track: a)),
    Named(name: "playingB", state: .playing(track: b)),
    Named(name: "silence", state: .playing(track: nil)),
    Named(name: "crossfadingAB", state: .crossfading(from: a, to: b, progress: 0.47)),
    Named(name: "crossfadingBC", state: .crossfading(from: b, to: c, progress: 0.8)),
    Named(name: "pausedA", state: .paused(track: a, position: 12)),
    Named(name: "pausedB", state: .paused(track: b, position: 0)),
    Named(name: "pausedC", state: .paused(track: c, position: 0)),
    Named(name: "pausedSilence", state: .paused(track: nil, position: 0)),
    Named(name: "crossfadePausedAB", state: paused(progress: 0.47, .continueFromProgress)),
    Named(name: "quickFinishAB", state: paused(progress: 0.47, .quickFinish)),
    Named(name: "fadingOutA", state: .fadingOut(track: a, duration: 3)),
    Named(name: "fadingOutB", state: .fadingOut(track: b, duration: 0.02)),
    Named(name: "finished", state: .finished),
    Named(name: "failed", state: .failed(.outputFailed(.lost(cause: "gone")))),
    Named(name: "failedForGood", state: .failed(.edit(.emptyPlaylist))),
  ]

  static func paused(
    progress: Double, _ strategy: ResumeStrategy, positions: (Double, Double) = (57.4, 2.4), taken: Double = 0
  ) -> PlayerState {
    .crossfadePaused(
      from: a, to: b, progress: progress, strategy: strategy,
      snapshot: CrossfadePauseSnapshot(activePosition: positions.0, inactivePosition: positions.1, taken: taken))
  }
}

extension PlayerState {
  /// The name, the tracks, and the progress as a whole percentage, rounded down.
  var short: String {
    let tracks = [currentTrack, nextTrack].compactMap { $0?.title }.joined(separator: " → ")
    let percent = progress.map { "\(Int($0 * 100))%" }
    return [name, tracks, percent].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
