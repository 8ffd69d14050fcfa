import Foundation
import Signal
import TestSupport
import Testing

@testable import Schedule

/// The end of the current stage moves, and everything that depends on it.
@Suite struct ExtendTests {
  private static let linear = FadeShape(length: 16_000, curve: .linear)

  /// Stage A has tracks of ten seconds that repeat, and ends after 25 seconds; B follows with a crossfade of two.
  private static func session(
    for duration: Programme.StageDuration = .frames(200_000), repetition: RepeatMode = .playlist,
    _ change: (inout Programme.Stage) -> Void = { _ in }
  ) -> Programme {
    var first = Programme.Stage(
      "A", [track("a", 80_000), track("b", 80_000)], for: duration, repetition: repetition, crossfade: linear)
    change(&first)
    return programme([first, Programme.Stage("B", [track("c", 80_000)], for: .frames(80_000), crossfade: linear)])
  }

  private func schedule(_ session: Programme, _ edits: (FrameTime, Edit)...) throws -> Schedule {
    var schedule = Schedule(session)
    for (frame, edit) in edits {
      schedule.advance(to: frame, keeping: frame)
      schedule = try schedule.applying(edit, at: frame, keeping: frame)
    }
    return schedule
  }

  /// Whether the schedule has, from a frame on, exactly the clips of a session that was planned so.
  private func expect(_ edited: Schedule, from frame: FrameTime, as planned: Programme, line: Int = #line) {
    var plan = Schedule(planned)
    plan.advance(to: frame, keeping: frame)
    #expect(edited.texts(from: frame) == plan.texts(from: frame), "line \(line)")
    #expect(edited.end == plan.end, "line \(line)")
  }

  @Test(arguments: [40_000, 199_999, 200_000] as [FrameTime], [40.0, -5, 0.000125])
  func `a stage that is extended is like one planned with that length`(at frame: FrameTime, by seconds: Double) throws {
    let length = max(Double(frame), 200_000 + seconds * 8_000)
    if FrameTime(nearest: length) == 200_000 { return }
    let edited = try schedule(Self.session(), (frame, .extend(by: seconds)))
    expect(edited, from: frame, as: Self.session(for: .frames(length)))
    #expect(edited.layout.end == FrameTime(nearest: length))
  }

  @Test func `the end moves each time, and never before now`() throws {
    let twice = try schedule(Self.session(), (40_000, .extend(by: 10)), (60_000, .extend(by: -2.5)))
    expect(twice, from: 60_000, as: Self.session(for: .frames(260_000)))
    let ended = try schedule(Self.session(), (40_000, .extend(by: -3_600)))
    #expect(ended.layouts.map(\.begin) == [0, 40_000])
    #expect(
      ended.texts(from: 40_000).prefix(2) == [
        "a/0.0.0 0-56000 leave 40000-56000", "c/0.0.0 40000-120000 in 40000-56000",
      ])
    #expect(throws: EditError.noEffect("the stage already ends now")) {
      _ = try ended.applying(.extend(by: -1), at: 40_000, keeping: 40_000)
    }
  }

  @Test func `a stage that ends with its music becomes one with a duration`() throws {
    // Its music ends at 144,000, and so does the crossfade into B.
    let natural = Self.session(for: .natural, repetition: .off)
    let longer = try schedule(natural, (40_000, .extend(by: 10)))
    expect(longer, from: 40_000, as: Self.session(for: .frames(208_000), repetition: .off))
    #expect(
      longer.texts(from: 100_000) == [
        "b/0.1.1 64000-144000 in 64000-80000", "c/0.0.0 208000-288000 in 208000-224000",
      ])
    let shorter = try schedule(natural, (40_000, .extend(by: -4)))
    expect(shorter, from: 40_000, as: Self.session(for: .frames(96_000), repetition: .off))
    // A track that is added later does not move the end any more.
    let added = try schedule(natural, (40_000, .extend(by: 10)), (50_000, .playlist(.append([track("d", 80_000)]))))
    #expect(added.layout.end == 208_000)
  }

  @Test func `during the crossfade out of a stage, the stage that begins is extended`() throws {
    let edited = try schedule(Self.session(), (208_000, .extend(by: 3)))
    #expect(edited.stage == 1 && edited.layout.end == 304_000)
    #expect(edited.texts(from: 208_000).first?.hasSuffix("200000-216000") == true)
  }

  @Test func `cues that count from the end move along, and what is over comes again`() throws {
    let session = Self.session {
      $0.gongs = [Programme.Gong(sound: Programme.Sound("bell", 8_000), .at([.beforeEnd(16_000), .beforeEnd(0)]))]
      $0.overlays = [Programme.Overlay(sound: Programme.Sound("voice", 8_000), at: [.beforeEnd(40_000)])]
    }
    let cues = { (schedule: Schedule, frame: FrameTime) in
      schedule.texts(from: frame).filter { $0.hasPrefix("bell") || $0.hasPrefix("voice") }
    }
    #expect(
      cues(try schedule(session, (40_000, .extend(by: 10))), 40_000) == [
        "voice/1.0.0.0 240000-248000", "bell/1.1.0.0 264000-272000", "bell/1.1.1.0 280000-288000",
      ])
    // The voice plays on, and the bells come later.
    #expect(
      cues(try schedule(session, (164_000, .extend(by: 10))), 164_000) == [
        "voice/1.0.0.0 160000-168000", "bell/1.1.0.0 264000-272000", "bell/1.1.1.0 280000-288000",
      ])
    // The voice is over, and a bell rings.
    let late = try schedule(session, (188_000, .extend(by: 10)))
    #expect(
      cues(late, 188_000) == [
        "bell/1.1.0.0 184000-192000", "voice/1.0.1.0 240000-248000", "bell/1.1.2.0 264000-272000",
        "bell/1.1.1.0 280000-288000",
      ])
    // They come again only once for each end.
    let later = try late.applying(.extend(by: 10), at: 190_000, keeping: 190_000)
    #expect(
      cues(later, 200_000) == [
        "voice/1.0.1.0 320000-328000", "bell/1.1.2.0 344000-352000", "bell/1.1.1.0 360000-368000",
      ])
  }

  @Test func `session-wide cues that count from the end move with the last stage`() throws {
    var session = Self.session()
    session.gongs = [Programme.Gong(sound: Programme.Sound("bell", 800), .at([.beforeEnd(8_000), .beforeEnd(0)]))]
    let bells = { (schedule: Schedule) in schedule.texts(from: 210_000).filter { $0.hasPrefix("bell") } }
    #expect(
      bells(try schedule(session, (40_000, .extend(by: 10)))) == [
        "bell/0.0.0.0 352000-352800", "bell/0.0.1.0 360000-360800",
      ])
    #expect(
      bells(try schedule(session, (276_000, .extend(by: 10)))) == [
        "bell/0.0.0.0 272000-272800", "bell/0.0.2.0 352000-352800", "bell/0.0.1.0 360000-360800",
      ])
  }

  @Test func `strikes and repeats until the end continue to the new one`() throws {
    let session = Self.session {
      $0.gongs = [Programme.Gong(sound: Programme.Sound("bell", 800), .every(64_000, count: nil))]
      $0.overlays = [Programme.Overlay(sound: Programme.Sound("rain", 80_000), at: [.afterStart(0)])]
      $0.overlays[0].times = .forever
    }
    let edited = try schedule(session, (40_000, .extend(by: 10)))
    expect(
      edited, from: 40_000,
      as: Self.session(for: .frames(280_000)) { stage in
        (stage.gongs, stage.overlays) = (session.stages[0].gongs, session.stages[0].overlays)
      })
    #expect(edited.texts(from: 250_000).contains { $0.hasPrefix("bell/1.1.0.3 256000") })
  }

  @Test func `the level returns within a second from the fade-out of the session`() throws {
    let session = programme(
      [Programme.Stage("A", [track("a", 800_000)], for: .frames(80_000))], fadeOut: 16_000)
    let edited = try schedule(session, (72_000, .extend(by: 60)))
    #expect(edited.texts(from: 72_000) == ["a/0.0.0 0-560000 leave 544000-560000 ramp 72000-80000(0.70710677>1.0)"])
  }

  @Test func `an end that does not exist, is over, or would be too late does not move`() throws {
    let open = Schedule(Self.session(for: .open))
    #expect(throws: EditError.noStageEnd(name: "A", isMusicPaused: false)) {
      _ = try open.applying(.extend(by: 60), at: 8_000, keeping: 8_000)
    }
    let natural = Self.session(for: .natural, repetition: .off)
    #expect(throws: EditError.noStageEnd(name: "A", isMusicPaused: true)) {
      _ = try schedule(natural, (8_000, .pauseMusic), (16_000, .extend(by: 60)))
    }
    #expect(try schedule(Self.session(), (8_000, .pauseMusic), (16_000, .extend(by: 1))).layout.end == 208_000)
    #expect(throws: EditError.noEffect("the end of the stage would not move")) {
      _ = try schedule(Self.session(), (8_000, .extend(by: 0)))
    }
    #expect(throws: EditError.tooLong) { _ = try schedule(Self.session(), (8_000, .extend(by: 604_800))) }
    var rung = Self.session()
    rung.gongs = [Programme.Gong("bell", 80_000, at: 270_000)]
    #expect(throws: EditError.noEffect("the stage is over, so its end can't move")) {
      _ = try schedule(rung, (290_000, .extend(by: 60)))
    }
    #expect(!(try schedule(rung, (290_000, .gong(Cue("bell"), length: 8_000))).canExtend(stage: 1, at: 290_000)))
  }

  @Test func `a replayed journal has the new end`() throws {
    var journal = Journal(stage: 0, start: 0, master: .unity, frame: 100_000)
    journal.add(Journal.Entry(.edit(.extend(by: 10), resuming: nil), at: 40_000))
    let read = try JSONDecoder().decode(Journal.self, from: JSONEncoder().encode(journal))
    #expect(try #require(read.replayed(in: Self.session())).schedule.layout.end == 280_000)
    journal.add(Journal.Entry(.edit(.extend(by: 1e300), resuming: nil), at: 50_000))
    #expect(!journal.fits(Self.session()))
  }
}
