import Engine
@testable import Player
import Schedule
import Signal
import TestSupport

/// A narration and all that it has told.
struct Story {
  var music = MusicNarration(rate: testRate)
  var events: [PlayerEvent] = []

  /// A track whose fade-out, like the next one's fade-in, takes a second.
  static func music(
    _ title: String, index: Int, pass: Int = 0, at: FrameTime, length: FrameCount, fadeIn: FrameCount = 0
  ) -> Clip {
    var clip = Clip(
      ClipID(.track(move: 0, turn: 1_000 * pass + index, entry: index), stage: 0), layer: .music,
      source: TestLibrary.source(title), title: title, at: at, length: length)
    clip.entry = PlaylistEntry(index: index, pass: pass, overlap: fadeIn)
    if 0 < fadeIn { clip.fadeIn = .rising(at: at, over: fadeIn, .equalPower) }
    clip.fadeOut = .falling(at: at + length - 8_000, over: 8_000, .equalPower)
    return clip
  }

  mutating func prepare(_ clip: Clip) { events += music.prepare(clip) }

  /// Tells what comes before, and then that it begins.
  mutating func start(_ clip: Clip, at frame: FrameTime) {
    run(to: frame)
    events += music.start(clip, at: frame)
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
  var states: [String] { events.compactMap { if case .state(let state, _) = $0 { state.short } else { nil } } }

  /// Seconds into the track.
  func position(at frame: FrameTime) -> Double? {
    if case .position(_, let position, _) = music.position(at: frame) { position } else { nil }
  }
}

extension Clip {
  /// The clip of the same track at another frame, after the listener has sought in it that many times.
  func sought(to frame: FrameTime, times: Int = 1) -> Clip {
    guard case .track(_, let turn, let entry) = id.origin else { return self }
    var clip = self
    clip.id.origin = .track(move: times, turn: turn, entry: entry)
    clip.at = frame
    return clip
  }
}
