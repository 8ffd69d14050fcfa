import Schedule
import Signal
import Sounds

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// Sounds with declared lengths in seconds, by path. A sound that is not declared is missing.
struct DeclaredSounds: SoundLibrary {
  var seconds: [String: Double]
  var rates: [String: Int] = [:]

  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    guard let length = seconds[source.label] else { throw .missing(path: source.label) }
    let frames = length.isFinite ? rate.frames(length) : .endless
    return SoundFacts(length: frames, rate: rates[source.label], channels: 2)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    throw .missing(path: source.label)
  }
}

let telephone = SampleRate(hertz: 8000)
let noLocation = SourceLocation(file: "a.json")

func sound(_ name: String) -> Session.Sound {
  Session.Sound(source: SoundSource(.file(path: name)), volume: .unity, title: name, location: noLocation)
}

func stage(
  _ name: String, _ duration: Session.StageDuration, _ tracks: [String] = [], repeat repetition: RepeatMode = .off,
  count: Int? = nil, crossfade: Double = 0, overlays: [Session.Overlay] = [], gongs: [Session.Gong] = []
) -> Session.Stage {
  Session.Stage(
    name: name, duration: duration, tracks: tracks.map(sound), repetition: repetition, repeatCount: count,
    volume: .unity, crossfade: Session.Crossfade(duration: crossfade, curve: .equalPower), overlays: overlays,
    gongs: gongs, location: noLocation)
}

func session(
  _ stages: [Session.Stage], fadeIn: Double = 0, fadeOut: Double = 0, overlays: [Session.Overlay] = [],
  gongs: [Session.Gong] = [], rate: SampleRate? = telephone
) -> Session {
  Session(
    path: "a.json", title: "Test", description: nil, sampleRate: rate, volume: .unity, fadeIn: fadeIn,
    fadeOut: fadeOut, stages: stages, overlays: overlays, gongs: gongs)
}

func at(_ seconds: Double) -> Session.Position { Session.Position(anchor: .afterStart(seconds), location: noLocation) }
func beforeEnd(_ seconds: Double) -> Session.Position {
  Session.Position(anchor: .beforeEnd(seconds), location: noLocation)
}

func overlay(
  _ name: String, at position: Session.Position, fadeIn: Double = 0, fadeOut: Double = 0,
  _ repetition: Session.Repetition = .once, layer: Bool = false
) -> Session.Overlay {
  Session.Overlay(
    sound: sound(name), at: [position], fadeIn: fadeIn, fadeOut: fadeOut, curve: .linear, repetition: repetition,
    duck: nil, isLayer: layer, location: noLocation)
}

func gong(_ name: String, _ times: Session.Gong.Times, strikes: Int = 1, spacing: Double = 1) -> Session.Gong {
  Session.Gong(sound: sound(name), times: times, strikes: strikes, spacing: spacing, location: noLocation)
}

/// Milliseconds as frames at the rate of the tests: eight frames are a millisecond.
func ms(_ milliseconds: Int64) -> FrameCount { milliseconds * 8 }

let sounds = DeclaredSounds(
  seconds: ["one": 1, "two": 2, "ten": 10, "bell": 3, "rain": .infinity], rates: ["one": 44_100, "ten": 48_000])

func compile(_ session: Session) throws -> Timeline { try Timeline.compile(session, library: sounds).timeline }

func problems(of session: Session) -> [TimelineFailure.Problem] {
  do throws(TimelineFailure) {
    _ = try Timeline.compile(session, library: sounds)
    return []
  } catch {
    return error.problems
  }
}
