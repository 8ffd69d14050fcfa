import Signal
import Sounds
import TestSupport
import Testing

@testable import Schedule

/// When the sentences of spoken sounds are reported. The rate is 8,000 Hz.
@Suite struct CaptionTests {
  private static let captions = [
    Caption(text: "One.", begin: 0, end: 8_000), Caption(text: "Two.", begin: 16_000, end: 20_000),
    Caption(text: "Three.", begin: 40_000, end: 48_000),
  ]

  /// A stage of 20 s with a spoken overlay of 6 s that begins at 1 s.
  private static var session: Programme {
    var overlay = Programme.Overlay("talk", 48_000, at: 8_000)
    overlay.sound.captions = captions
    return programme([
      Programme.Stage("A", [], for: .frames(160_000), overlays: [overlay]),
      Programme.Stage("B", [], for: .frames(80_000)),
    ])
  }

  private func sentences(_ schedule: Schedule, in frames: Range<FrameTime> = 0..<400_000) -> [String] {
    schedule.events(in: frames).compactMap { occurrence in
      guard case .caption(let text, let title, let duration) = occurrence.event else { return nil }
      return "\(occurrence.at) \(text) \(title) \(duration)"
    }
  }

  private func edited(_ edits: (FrameTime, Edit)..., schedule: Schedule = Schedule(session)) throws -> Schedule {
    var schedule = schedule
    for (frame, edit) in edits {
      schedule.advance(to: frame, keeping: frame)
      schedule = try schedule.applying(edit, at: frame, keeping: frame)
    }
    return schedule
  }

  @Test func `each sentence is reported at its frame, after the beginning of its sound`() {
    let schedule = Schedule(Self.session)
    #expect(sentences(schedule) == ["8000 One. talk 1.0", "24000 Two. talk 0.5", "48000 Three. talk 1.0"])
    let first = schedule.events(in: 8_000..<8_001).map(\.event)
    #expect(first.suffix(2) == [.overlayStarted(title: "talk"), .caption("One.", title: "talk", duration: 1)])
  }

  @Test func `a sentence in whose middle the walk begins is not reported`() {
    let schedule = Schedule(Self.session)
    #expect(sentences(schedule, in: 24_000..<400_000) == ["24000 Two. talk 0.5", "48000 Three. talk 1.0"])
    #expect(sentences(schedule, in: 24_001..<400_000) == ["48000 Three. talk 1.0"])
  }

  @Test func `a pause delays the sentences that follow`() throws {
    let schedule = try edited((32_000, .pauseOverlays), (64_000, .resumeOverlays))
    #expect(sentences(schedule, in: 64_000..<400_000) == ["80000 Three. talk 1.0"])
  }

  @Test func `nothing is said after the overlay was stopped, or its stage was left`() throws {
    for edit in [Edit.stopOverlays, .stage(by: 1)] {
      #expect(sentences(try edited((32_000, edit)), in: 32_000..<400_000) == [])
    }
  }

  @Test func `a repeated sound says its sentences again, a cut one fewer, and each has its length`() {
    var overlay = Programme.Overlay("talk", 44_000, at: 0)
    (overlay.sound.captions, overlay.times, overlay.interval) = (Self.captions, .times(2), 41_600)
    let schedule = Schedule(programme([Programme.Stage("A", [], for: .frames(84_000), overlays: [overlay])]))
    #expect(
      sentences(schedule) == [
        "0 One. talk 1.0", "16000 Two. talk 0.5", "40000 Three. talk 0.22", "41600 One. talk 1.0",
        "57600 Two. talk 0.5", "81600 Three. talk 0.5",
      ])
  }

  @Test func `tracks, gongs and commanded overlays say their sentences, too`() throws {
    var track = Track(source: TestLibrary.source("t"), title: "track", gain: .unity, length: 48_000)
    track.captions = Self.captions
    var gong = Programme.Gong("gong", 48_000, at: 80_000)
    gong.sound.captions = Self.captions
    let schedule = Schedule(
      programme([Programme.Stage("A", [track], for: .frames(160_000), gongs: [gong])]))
    #expect(
      sentences(schedule).map { $0.prefix(14) } == [
        "0 One. track 1", "16000 Two. tra", "40000 Three. t", "80000 One. gon", "96000 Two. gon", "120000 Three. ",
      ])
    let said = Edit.overlay(
      OverlayRequest(cue: Cue(source: TestLibrary.source("W"), title: "W", gain: .unity)), length: 48_000,
      captions: Self.captions)
    let other = try edited((60_000, said), schedule: schedule)
    #expect(sentences(other, in: 60_000..<80_000) == ["60000 One. W 1.0", "76000 Two. W 0.5"])
  }
}
