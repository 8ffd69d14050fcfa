import Signal
import TestSupport
import Testing

@testable import Schedule

/// When stages end, what happens after the end of the last one, and which cues survive the way there.
@Suite struct StageEndTests {
  private static let linear = FadeShape(length: 16_000, curve: .linear)

  private func schedule(_ session: Programme, _ edits: (FrameTime, Edit)...) throws -> Schedule {
    var schedule = Schedule(session)
    for (frame, edit) in edits {
      schedule.advance(to: frame, keeping: frame)
      schedule = try schedule.applying(edit, at: frame, keeping: frame)
    }
    return schedule
  }

  @Test func `a stage whose playlist was emptied ends, also if its music is paused meanwhile`() throws {
    let session = programme([Programme.Stage("A", [track("a", 80_000)], crossfade: Self.linear)])
    let remove = Edit.playlist(.remove(at: 0))
    #expect(
      try schedule(session, (16_000, .pauseMusic), (24_000, remove), (32_000, .resumeMusic)).end == 40_000)
    #expect(try schedule(session, (16_000, remove), (24_000, .pauseMusic)).layout.end == 32_000)
  }

  @Test func `music that is paused after the end of its stage does not open the stage again`() throws {
    var session = programme([Programme.Stage("A", [track("a", 80_000)])])
    session.gongs = [Programme.Gong("bell", 240_000, at: 79_000)]
    let paused = try schedule(session, (120_000, .pauseMusic))
    #expect(paused.layout.end == 80_000 && paused.end == 319_000)
    // A stage that is still playing waits for its music.
    #expect(try schedule(session, (40_000, .pauseMusic)).end == nil)
  }

  @Test func `several steps from a silent stage lead to the stage beside it`() throws {
    let session = programme([
      Programme.Stage("S", [], for: .frames(80_000)), Programme.Stage("A", [track("a", 80_000)]),
      Programme.Stage("B", [track("b", 80_000)]),
    ])
    #expect(try schedule(session, (40_000, .step(by: 2))).stage == 1)
    #expect(throws: EditError.noPreviousTrack) { try schedule(session, (40_000, .step(by: -2))) }
  }

  @Test func `an overlay that was skipped replaces no other`() throws {
    let voice = Programme.Overlay("voice", 8_000, at: 8_000)
    var session = programme([
      Programme.Stage("A", [], for: .frames(80_000)),
      Programme.Stage("P", [], for: .frames(160_000), overlays: [voice]),
    ])
    session.overlays = [Programme.Overlay("rain", 400_000, at: 0)]
    let skipped = try schedule(session, (40_000, .goto(stage: "P", at: 4)))
    #expect(skipped.texts(from: 40_000) == ["rain/0.0.0.0 0-400000"])
    let heard = try schedule(session, (40_000, .goto(stage: "P", at: 0)))
    #expect(heard.texts(from: 40_000).map { $0.prefix(4) } == ["rain", "voic"])
    // Of a repeating overlay, the first repeat that is heard replaces the other.
    session.stages[1].overlays[0].times = .times(3)
    let repeating = try schedule(session, (40_000, .goto(stage: "P", at: 1.5)))
    #expect(
      repeating.texts(from: 40_000) == [
        "rain/0.0.0.0 0-44160 leave 44000-44160", "voice/2.1.0.1 44000-52000", "voice/2.1.0.2 52000-60000",
      ])
  }

  @Test func `a later stage does not end a session-wide overlay that counts from the end`() throws {
    var session = programme([
      Programme.Stage("A", [], for: .frames(480_000)), Programme.Stage("B", [], for: .frames(240_000)),
    ])
    session.overlays = [Programme.Overlay(sound: Programme.Sound("chant", 80_000), at: [.beforeEnd(480_000)])]
    session.overlays[0].times = .times(6)
    let later = try schedule(session, (320_000, .stage(by: 1)))
    #expect(later.texts(from: 320_000).first == "chant/0.0.0.1 320000-400000")
    #expect(later.texts(from: 320_000).count == 5)
  }

  @Test func `a stage that ends with its music ends at once if its last track can't be opened`() throws {
    let session = programme([
      Programme.Stage("A", [track("bad", 800_000)]), Programme.Stage("B", [track("b", 80_000)]),
    ])
    let late = try schedule(session, (16_000, .passOver(stage: 0, entry: 0, trackPlay: 0)))
    #expect(late.texts(from: 16_000).last == "b/0.0.0 16000-96000")
  }

  @Test func `the track after one that failed late starts at its beginning`() throws {
    let tracks = ["a", "slow", "c"].map { track($0, 80_000) }
    let session = programme([Programme.Stage("A", tracks, crossfade: Self.linear)])
    let late = try schedule(session, (72_000, .passOver(stage: 0, entry: 1, trackPlay: 1)))
    let texts = late.texts(from: 72_000).filter { !$0.hasPrefix("slow") }
    #expect(texts == ["a/0.0.0 0-80000 out 64000-80000", "c/0.1.2 72000-152000 in 72000-88000"])
  }

  @Test func `no crossfade into silent stages continues after the end of the session`() throws {
    let session = programme([
      Programme.Stage("A", [track("a", 160_000)], for: .frames(80_000)),
      Programme.Stage("Bell", [], for: .frames(4_000), crossfade: Self.linear),
      Programme.Stage("Rest", [], for: .frames(8_000), crossfade: Self.linear),
    ])
    let planned = Schedule(session)
    #expect(planned.end == 92_000 && planned.texts(from: 0) == ["a/0.0.0 0-92000 leave 80000-92000"])
  }

  @Test func `no crossfade of a command continues after the end of the session`() throws {
    let session = programme([
      Programme.Stage("A", [track("a", 160_000)], for: .frames(80_000)),
      Programme.Stage("Bell", [], for: .frames(4_000), crossfade: Self.linear),
      Programme.Stage("Rest", [], for: .frames(8_000), crossfade: Self.linear),
    ])
    let left = try schedule(session, (40_000, .stage(by: 1)))
    #expect(left.end == 52_000 && left.texts(from: 40_000) == ["a/0.0.0 0-52000 leave 40000-52000"])
    let tracks = ["a", "b"].map { track($0, 160_000) }
    let last = programme([Programme.Stage("A", tracks, for: .frames(80_000), crossfade: Self.linear)])
    #expect(try schedule(last, (72_000, .step(by: 1))).texts(from: 72_000).first == "a/0.0.0 0-80000 leave 72000-80000")
  }

  @Test func `music that is paused in the frame in which a stage ends also waits at the beginning of the next one`()
    throws
  {
    let session = programme([
      Programme.Stage("A", [track("a", 160_000)], for: .frames(80_000)),
      Programme.Stage("B", [track("b", 80_000)], crossfade: Self.linear),
    ])
    for frame in [79_999, 80_000, 80_001] as [FrameTime] {
      var paused = try schedule(session, (frame, .pauseMusic))
      paused.advance(to: 400_000, keeping: 400_000)
      #expect(paused.stage == 1 && paused.end == nil, "\(frame)")
    }
  }

  @Test func `in a session that begins in the middle of an unplayable track, the next one is in its middle, too`()
    throws
  {
    let session = programme([Programme.Stage("A", [track("bad", 80_000), track("c", 80_000)])])
    var schedule = Schedule(session, at: 40_000)
    schedule.advance(to: 40_000, keeping: 40_000)
    let passOver = Edit.passOver(stage: 0, entry: 0, trackPlay: 0)
    let texts = try [40_000, 48_000].map { frame in
      try schedule.applying(passOver, at: frame, keeping: frame).texts(from: frame).filter { $0.hasPrefix("c") }
    }
    // Live, the failure may be found later.
    #expect(texts == [["c/0.0.1 0-80000"], ["c/0.0.1 48000-128000"]])
    // A track that is too short to be in its middle starts at its beginning.
    let short = programme([Programme.Stage("A", [track("bad", 80_000), track("c", 40_000)])])
    schedule = Schedule(short, at: 40_000)
    schedule.advance(to: 40_000, keeping: 40_000)
    schedule = try schedule.applying(passOver, at: 40_000, keeping: 40_000)
    #expect(schedule.texts(from: 40_000) == ["c/0.0.1 40000-80000"] && schedule.end == 80_000)
  }

  @Test(
    arguments: [[(40_000, .pauseMusic), (48_000, .resumeMusic)], [(48_000, .seek(.to(5)))]] as [[(FrameTime, Edit)]])
  func `the track after one that fails when it is resumed or sought starts at its beginning`(
    edits: [(FrameTime, Edit)]
  ) throws {
    let session = programme([Programme.Stage("A", [track("broken", 80_000), track("c", 80_000)])])
    var schedule = Schedule(session)
    for (frame, edit) in edits + [(48_000, .passOver(stage: 0, entry: 0, trackPlay: 0))] {
      schedule.advance(to: frame, keeping: frame)
      schedule = try schedule.applying(edit, at: frame, keeping: frame)
    }
    let texts = schedule.texts(from: 48_000).filter { $0.hasPrefix("c") }
    #expect(texts.count == 1 && texts[0].contains(" 48000-128000"), "\(texts)")
  }

  @Test func `a track that is appended in silence begins, and earlier tracks are not repeated`() throws {
    let session = programme([
      Programme.Stage("A", [track("a", 40_000), track("b", 40_000)], for: .frames(400_000), repetition: .off)
    ])
    let append = Edit.playlist(.append([track("c", 8_000)]))
    let failed = try schedule(session, (48_000, .passOver(stage: 0, entry: 1, trackPlay: 1)), (56_000, append))
    #expect(failed.texts(from: 56_000) == ["c/1.0.2 56000-64000 ramp 56000-56160"])
    let removed = try schedule(session, (48_000, .playlist(.remove(at: 1))), (56_000, append))
    #expect(removed.texts(from: 56_000) == ["c/1.0.2 56000-64000 ramp 56000-56160"])
  }

  @Test func `a session-wide gong that counts from the end is struck again if the listener goes to its frame`() throws {
    // All frames are rounded up.
    var session = programme([
      Programme.Stage("A", [], for: .frames(160_000)), Programme.Stage("B", [], for: .frames(159_999.7)),
    ])
    session.gongs = [Programme.Gong(sound: Programme.Sound("bell", 8_000), .at([.beforeEnd(80_000)]))]
    let again = try schedule(session, (280_000, .goto(stage: "B", at: 10)))
    #expect(again.texts(from: 280_000).map { $0.suffix(13) } == ["280000-288000"])
  }

  @Test func `after the last stage has ended, no command leads back into it`() throws {
    var session = programme([
      Programme.Stage("A", ["a", "b"].map { track($0, 80_000) }, for: .frames(80_000), repetition: .playlist)
    ])
    session.gongs = [Programme.Gong("bell", 80_000, at: 79_000)]
    #expect(throws: EditError.noNextTrack) { try schedule(session, (88_000, .step(by: 1))) }
    #expect(throws: EditError.noPreviousTrack) { try schedule(session, (88_000, .step(by: -1))) }
    #expect(throws: EditError.noActiveTrack) { try schedule(session, (88_000, .jump(0))) }
    #expect(throws: EditError.noActiveTrack) { try schedule(session, (72_000, .pauseMusic), (88_000, .seek(.to(1)))) }
    #expect(try schedule(session, (72_000, .step(by: 1))).texts(from: 72_000).contains { $0.hasPrefix("b/") })
  }

  @Test func `overlays fade out over the crossfade, also if only the music is paused`() throws {
    let session = programme([
      Programme.Stage(
        "A", [track("a", 160_000)], for: .frames(160_000), overlays: [Programme.Overlay("voice", 120_000, at: 0)]),
      Programme.Stage("B", [track("b", 160_000)], crossfade: Self.linear),
    ])
    let left = try schedule(session, (40_000, .pauseMusic), (48_000, .stage(by: 1)))
    #expect(left.texts(from: 48_000).contains("voice/1.0.0.0 0-64000 leave 48000-64000"))
  }

  @Test func `paused music that waits at the beginning of a stage can be sought in`() throws {
    let session = programme([
      Programme.Stage("A", [track("a", 80_000)], for: .frames(40_000)), Programme.Stage("B", [track("b", 80_000)]),
    ])
    let sought = try schedule(session, (16_000, .pauseMusic), (64_000, .seek(.to(2))), (72_000, .resumeMusic))
    #expect(sought.texts(from: 72_000).last == "b/1.0.0 72000-136000 ramp 72000-72160")
  }
}
