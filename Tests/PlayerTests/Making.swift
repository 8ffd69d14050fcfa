import Engine
import Player
import Signal
import TestSupport

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
