import Engine
@testable import Player
import Signal
import TestSupport

/// A narration and all that it has told.
struct Story {
  var music = MusicNarration(rate: testRate)
  var events: [PlayerEvent] = []

  /// A track whose fade-out, like the next one's fade-in, takes a second.
  static func music(
    _ title: String, index: Int, pass: Int = 0, at: FrameTime, length: FrameCount, fadeIn: FrameCount = 0
  ) -> Placement {
    var placement = Placement(
      layer: .music, source: TestLibrary.source(title), title: title, stage: 0, at: at, length: length)
    placement.entry = PlaylistEntry(index: index, pass: pass, overlap: fadeIn)
    if 0 < fadeIn { placement.fadeIn = .rising(at: at, over: fadeIn, .equalPower) }
    placement.fadeOut = .falling(at: at + length - 8_000, over: 8_000, .equalPower)
    return placement
  }

  mutating func prepare(_ placement: Placement) { events += music.prepare(placement) }

  /// Tells what comes before, and then that it begins.
  mutating func start(_ placement: Placement, at frame: FrameTime) {
    run(to: frame)
    events += music.start(placement, at: frame)
  }

  mutating func tell(_ change: (inout MusicNarration) -> [PlayerEvent]) { events += change(&music) }
  mutating func tell(_ change: (inout MusicNarration) -> Void) { change(&music) }

  /// Everything before a frame.
  mutating func run(to frame: FrameTime) {
    while min(music.nextFrame, music.completionFrame) < frame {
      events += music.advance(to: min(music.nextFrame, music.completionFrame))
    }
  }

  mutating func conclude() { events += music.conclude(nil) }

  var names: [String] { events.map(\.name) }
  var states: [String] { events.compactMap { if case .state(let state, _) = $0 { state.description } else { nil } } }

  /// Seconds into the track.
  func position(at frame: FrameTime) -> Double? {
    if case .position(_, let position, _) = music.position(at: frame) { position } else { nil }
  }
}
