import Engine
@testable import Player
import Signal
import Synchronization
import TestSupport

/// A programme played into memory, with its events.
struct Performed {
  var frames: [Frame]
  var events: [StampedEvent]
  var performance: Performance

  /// The levels of the left channel.
  var left: [Float] { frames.map(\.left) }
}

func perform(
  _ programme: Programme, _ library: TestLibrary, from start: FrameTime = 0, blockLength: Int = 480
) async -> Performed {
  let sink = CollectingSink()
  let events = Mutex<[StampedEvent]>([])
  let player = AudioPlayerService(
    playing: programme, from: library, into: sink, at: start, blockLength: blockLength
  ) { event in events.withLock { $0.append(event) } }
  let performance = await player.play()
  return Performed(frames: sink.frames, events: events.withLock { $0 }, performance: performance)
}

/// At 8,000 Hz, the lowest rate, the limiter's look-ahead is 40 frames.
let testRate = SampleRate(hertz: 8_000) ?? .studio

func track(_ name: String, _ length: FrameCount, gain: Gain = .unity) -> Track {
  Track(source: TestLibrary.source(name), title: name, gain: gain, length: length)
}

func music(
  _ tracks: [Track], repetition: RepeatMode = .off, repeatCount: Int? = nil, crossfade: FadeShape = .none,
  entrance: FadeShape = .none, departure: Departure? = nil, begin: FrameTime = 0
) -> MusicPlan {
  MusicPlan(
    tracks: tracks, repetition: repetition, repeatCount: repeatCount, gain: .unity, crossfade: crossfade,
    entrance: entrance, departure: departure, begin: begin)
}

func programme(_ stages: [Programme.Stage], cues: [Placement] = []) -> Programme {
  Programme(title: "test", rate: testRate, master: .unity, stages: stages, cues: cues)
}
