import Signal
import TestSupport
import Testing

@testable import Schedule

/// Stage A with a, b and c, 80,000 frames each, then stage B with d; linear crossfades of 16,000 frames.
@Suite struct ScheduleEditTests {
  private static let linear = FadeShape(length: 16_000, curve: .linear)
  private static func stage(_ name: String, _ tracks: [String]) -> Programme.Stage {
    Programme.Stage(name, tracks.map { track($0, 80_000) }, crossfade: linear)
  }
  static let session = programme([stage("A", ["a", "b", "c"]), stage("B", ["d"])])

  /// The clips after some edits, each at its frame.
  private func edited(_ edits: (FrameTime, Edit)..., in session: Programme = Self.session) throws -> [String] {
    var schedule = Schedule(session)
    for (frame, edit) in edits { schedule = try schedule.applying(edit, at: frame, keeping: 0) }
    return schedule.texts(from: edits.last?.0 ?? 0)
  }

  private let a = "a/0.0.0 0-80000 out 64000-80000"
  private let b = "b/0.1.1 64000-144000 in 64000-80000 out 128000-144000"

  @Test func `planned clips overlap in their crossfades, also into the next stage`() throws {
    #expect(
      try edited() == [
        a, b, "c/0.2.2 128000-208000 in 128000-144000 leave 192000-208000", "d/0.0.0 192000-272000 in 192000-208000",
      ])
  }

  @Test func `next leaves the track with a crossfade, and moves everything after it`() throws {
    #expect(
      try edited((20_000, .step(by: 1))) == [
        "a/0.0.0 0-36000 leave 20000-36000", "b/1.0.1 20000-100000 in 20000-36000 out 84000-100000",
        "c/1.1.2 84000-164000 in 84000-100000 leave 148000-164000", "d/1.0.0 148000-228000 in 148000-164000",
      ])
  }

  @Test func `a seek enters the track in its middle, with ramps that prevent clicks`() throws {
    #expect(
      try edited((20_000, .seek(.to(5)))).prefix(2) == [
        "a/0.0.0 0-20160 leave 20000-20160", "a/1.0.0 20000-60000 out 44000-60000 ramp 20000-20160",
      ])
  }

  @Test func `removing the last track gives its crossfade to the track before it`() throws {
    #expect(
      try edited((20_000, .playlist(.remove(at: 2)))) == [
        a, "b/0.1.1 64000-144000 in 64000-80000 leave 128000-144000", "d/0.0.0 128000-208000 in 128000-144000",
      ])
  }

  @Test func `inserting or moving tracks keeps the ID of the current track`() throws {
    #expect(
      try edited((20_000, .playlist(.insert([track("x", 40_000)], at: 1)))).prefix(3) == [
        a, "x/0.1.3 64000-104000 in 64000-80000 out 88000-104000",
        "b/0.2.1 88000-168000 in 88000-104000 out 152000-168000",
      ])
    #expect(
      try edited((20_000, .playlist(.move(from: 0, to: 2)))) == [
        "a/0.0.0 0-80000 leave 64000-80000", "d/0.0.0 64000-144000 in 64000-80000",
      ])
  }

  @Test func `the current track fades out when it is removed`() throws {
    #expect(
      try edited((20_000, .playlist(.remove(at: 0)))).prefix(2) == [
        "a/0.0.0 0-36000 leave 20000-36000", "b/1.0.1 20000-100000 in 20000-36000 out 84000-100000",
      ])
  }

  @Test func `repeating a track repeats the current one and keeps its ID`() throws {
    #expect(
      try edited((20_000, .repetition(.track, count: 1))).prefix(3) == [
        a, "a/0.1.0 64000-144000 in 64000-80000 out 128000-144000",
        "b/0.2.1 128000-208000 in 128000-144000 out 192000-208000",
      ])
    #expect(
      try Schedule(Self.session).applying(.repetition(.track, count: nil), at: 20_000, keeping: 0).layouts.count == 1)
  }

  @Test func `a crossfade in progress keeps its length, and later ones take the new length`() throws {
    #expect(
      try edited((70_000, .crossfade(seconds: 1, .sCurve))).prefix(3) == [
        a, "b/0.1.1 64000-144000 in 64000-80000 out 136000-144000",
        "c/0.2.2 136000-216000 in 136000-144000 leave 208000-216000",
      ])
  }

  @Test func `music paused alone continues later by the length of the pause, as another part`() throws {
    let paused = (20_000 as FrameTime, Edit.pauseMusic)
    #expect(try edited(paused) == ["a/0.0.0 0-20160 leave 20000-20160"])
    #expect(
      try edited(paused, (30_000, .resumeMusic)).prefix(2) == [
        "a/0.0.0+1 30000-90000 out 74000-90000 ramp 30000-30160",
        "b/0.1.1 74000-154000 in 74000-90000 out 138000-154000",
      ])
  }

  @Test func `a track that can't be opened is skipped`() throws {
    #expect(
      try edited((20_000, .passOver(stage: 0, entry: 1))) == [
        a, "c/0.1.2 64000-144000 in 64000-80000 leave 128000-144000", "d/0.0.0 128000-208000 in 128000-144000",
      ])
  }

  @Test func `goto enters a stage in its middle, and nextStage at its beginning`() throws {
    #expect(
      try edited((20_000, .goto(stage: "B", at: 2))) == [
        "a/0.0.0 0-36000 leave 20000-36000", "d/1.0.0 20000-84000 in 20000-36000",
      ])
    #expect(try edited((20_000, .stage(by: 1))).last == "d/1.0.0 20000-100000 in 20000-36000")
  }

  @Test func `gongs and overlays that come before the entry into a stage do not sound`() throws {
    var session = Self.session
    session.stages[1].gongs = [Programme.Gong("bell", 20_000, at: 8_000, 24_000)]
    session.stages[1].overlays = [Programme.Overlay("voice", 20_000, at: 8_000)]
    let texts = try edited((20_000, .goto(stage: "B", at: 2)), in: session)
    #expect(texts.map { $0.prefix(4) } == ["a/0.", "d/1.", "bell"] && texts[2] == "bell/2.1.1.0 28000-48000")
  }

  @Test func `winding down plays the music of the stage, and no stage after it`() throws {
    var session = Self.session
    session.stages[0].gongs = [Programme.Gong("bell", 1_000, at: 10_000, 30_000)]
    let texts = try edited((20_000, .finish), in: session)
    #expect(texts == [a, b, "c/0.2.2 128000-208000 in 128000-144000 leave 192000-208000"])
  }

  @Test func `cues started by commands begin at the frame of the edit, with their own numbers`() throws {
    let voice = OverlayRequest(cue: Cue("voice"), fadeIn: 0.5, fadeOut: 1)
    let edits = [Edit.overlay(voice, length: 40_000), .gong(Cue("bell"), length: 8_000)]
    var schedule = Schedule(Self.session)
    for edit in edits { schedule = try schedule.applying(edit, at: 20_000, keeping: 0) }
    #expect(
      schedule.texts(from: 20_000).dropFirst().prefix(2) == [
        "voice/1.0.0.0 20000-60000 in 20000-24000 out 52000-60000", "bell/1.1.0.0 20000-28000",
      ])
    let stopped = try schedule.applying(.stopOverlays, at: 30_000, keeping: 0)
    #expect(stopped.texts(from: 30_000)[1] == "voice/1.0.0.0 20000-38000 in 20000-24000 leave 30000-38000")
  }

  @Test func `cues that are due during the ramp of a pause begin after it`() throws {
    var session = Self.session
    session.gongs = [Programme.Gong("bell", 1_000, at: 20_100)]
    #expect(try edited((20_000, .pause), in: session)[1] == "bell/0.0.0.0 20160-21160")
  }

  @Test func `a pause without length changes nothing, and one that ends within its ramp moves only what was due in it`()
    throws
  {
    var session = Self.session
    session.gongs = [Programme.Gong("bell", 4_000, at: 19_000, 20_100)]
    let bells = { (end: FrameTime) in
      try edited((20_000, .pause), (end, .resume(nil)), in: session).filter { $0.hasPrefix("bell") }
    }
    #expect(try bells(20_000) == ["bell/0.0.0.0 19000-23000", "bell/0.0.1.0 20100-24100"])
    #expect(try bells(20_080) == ["bell/0.0.0.0 19000-20160 leave 20000-20160", "bell/0.0.1.0 20100-24100"])
  }

  @Test(
    arguments: [
      (.step(by: -1), .noPreviousTrack), (.step(by: 1, isWithinStage: true), nil), (.stage(by: 2), .noNextTrack),
      (.jump(3), .invalidPlaylistIndex(index: 3, count: 3)), (.playlist(.replace([])), .emptyPlaylist),
      (.goto(stage: "X", at: 0), .noSuchStage(name: "X", known: ["A", "B"])),
      (.goto(stage: "B", at: 10), .noSuchPosition(stage: "B", seconds: 10)),
      (.overlayRepetition(.times(2), delay: 0), .noOverlay),
    ] as [(Edit, EditError?)])
  func `an impossible edit reports the reason`(edit: Edit, expected: EditError?) {
    var failure: EditError?
    do throws(EditError) { _ = try Schedule(Self.session).applying(edit, at: 20_000, keeping: 0) } catch {
      failure = error
    }
    #expect(failure == expected)
  }
}
