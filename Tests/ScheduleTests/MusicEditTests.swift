import Signal
import TestSupport
import Testing

@testable import Schedule

/// Edits of the music and of its pauses at moments that few sessions reach: while a crossfade between stages is paused,
/// while the music is paused separately, and after tracks that can't be played.
@Suite struct MusicEditTests {
  private static let linear = FadeShape(length: 16_000, curve: .linear)

  /// The schedule after some edits, each at its frame.
  private func edited(_ edits: (FrameTime, Edit)..., in session: Programme) throws -> Schedule {
    var schedule = Schedule(session)
    for (frame, edit) in edits { schedule = try schedule.applying(edit, at: frame, keeping: frame) }
    return schedule
  }

  private func titles(_ schedule: Schedule, from frame: FrameTime) -> [String] {
    schedule.clips(from: frame).prefix(20).map(\.title)
  }

  @Test func `the tracks of the outgoing stage follow each other in a crossfade that was paused`() throws {
    let stages = [
      Programme.Stage("A", [track("a", 8_000)], for: .frames(38_000), repetition: .playlist),
      Programme.Stage("B", [track("b", 80_000)], crossfade: FadeShape(length: 4_000, curve: .linear)),
    ]
    let session = programme(stages)
    let resumed = try edited((38_400, .pause), (38_560, .resume(.continueFromProgress)), in: session)
    #expect(resumed.texts(from: 38_560).contains("a/0.5.0 40000-42000 leave 38000-42000"))
    #expect(resumed.texts(from: 38_560) == Schedule(session).texts(from: 38_560))
  }

  @Test func `the tracks of the outgoing stage follow each other in a crossfade that is finished quickly`() throws {
    let stages = [
      Programme.Stage("A", [track("a", 40_000), track("b", 1_000), track("c", 40_000)], for: .frames(38_000)),
      Programme.Stage("B", [track("d", 80_000)], crossfade: Self.linear),
    ]
    let resumed = try edited((38_840, .pause), (39_000, .resume(.quickFinish)), in: programme(stages))
    #expect(
      resumed.texts(from: 39_000) == [
        "a/0.0.0 0-40000 leave 38467-47000", "d/0.0.0 38000-118000 in 38467-47000",
        "b/0.1.1 40000-41000 leave 38467-47000", "c/0.2.2 41000-47000 leave 38467-47000",
      ])
  }

  @Test func `a track that is added to a stage without music in a pause of the music begins after the pause`() throws {
    let added = Edit.playlist(.append([track("b", 80_000)]))
    let silent = programme([Programme.Stage("A", [], for: .frames(240_000))])
    let begun = try edited((10_000, .pauseMusic), (20_000, added), (30_000, .resumeMusic), in: silent)
    #expect(begun.texts(from: 30_000) == ["b/1.0.0 30000-110000 ramp 30000-30160"])
    // The same after the last track has ended.
    let short = programme([Programme.Stage("A", [track("a", 80_000)], for: .frames(240_000))])
    let followed = try edited((100_000, .pauseMusic), (110_000, added), (120_000, .resumeMusic), in: short)
    #expect(followed.texts(from: 120_000) == ["b/1.0.1 120000-200000 ramp 120000-120160"])
  }

  @Test(arguments: [1, 2, 3]) func `the first of the new tracks begins, however few replace the old ones`(
    count: Int
  ) throws {
    let tracks = ["a", "b", "c"].map { track($0, 80_000) }
    let session = programme([Programme.Stage("A", tracks, for: .frames(400_000))])
    let new = ["x", "y", "z"].prefix(count).map { track($0, 80_000) }
    let replaced = try edited((10_000, .jump(2)), (20_000, .playlist(.replace(new))), in: session)
    #expect(titles(replaced, from: 40_000) == Array(["x", "y", "z"].prefix(count)))
    let paused = try edited(
      (10_000, .jump(2)), (20_000, .pauseMusic), (30_000, .playlist(.replace(new))), (40_000, .resumeMusic),
      in: session)
    #expect(titles(paused, from: 40_000) == Array(["x", "y", "z"].prefix(count)))
  }

  @Test func `the track after a removed one that repeats is repeated as often`() throws {
    let tracks = ["a", "b", "c"].map { track($0, 80_000) }
    let session = programme([Programme.Stage("A", tracks, repetition: .track, repeatCount: 2)])
    let removed = try edited((170_000, .playlist(.remove(at: 0))), in: session)
    #expect(titles(removed, from: 170_000) == ["a", "b", "b", "b", "c", "c", "c"])
  }

  @Test func `a track that can't be played is skipped after a removed one`() throws {
    let tracks = ["a", "b", "c"].map { track($0, 80_000) }
    let skipped = (1_000 as FrameTime, Edit.passOver(stage: 0, entry: 1))
    let once = programme([Programme.Stage("A", tracks)])
    #expect(
      try titles(edited(skipped, (20_000, .playlist(.remove(at: 0))), in: once), from: 20_000) == ["a", "c"])
    let repeated = programme([Programme.Stage("A", tracks, repetition: .playlist, repeatCount: 1)])
    // The last track is removed; b can't be played, and the second pass begins with a.
    let removed = try edited((1_000, .passOver(stage: 0, entry: 1)), (90_000, .playlist(.remove(at: 2))), in: repeated)
    #expect(removed.clips(from: 90_000).map { "\($0.title) \($0.entry?.pass ?? -1)" } == ["c 0", "a 1"])
  }

  @Test func `a track that can't be opened again plays to its end, and the next one follows it`() throws {
    let tracks = ["a", "b"].map { track($0, 80_000) }
    let stage = Programme.Stage("A", tracks, repetition: .track, repeatCount: 3, crossfade: Self.linear)
    let repeated = Edit.passOver(stage: 0, entry: 0, trackPlay: 1)
    #expect(
      try edited((40_000, repeated), in: programme([stage])).texts(from: 40_000).prefix(2) == [
        "a/0.0.0 0-80000 out 64000-80000", "b/0.1.1 64000-144000 in 64000-80000 out 128000-144000",
      ])
    // A command whose target can't be opened does not change the track that plays.
    #expect(
      try edited((40_000, .passOver(stage: 0, entry: 0)), in: programme([stage])).texts(from: 40_000).first
        == "a/0.0.0 0-80000 out 64000-80000")
    // A track that is due and can't be opened is replaced.
    let first = Edit.passOver(stage: 0, entry: 0, trackPlay: 0)
    #expect(try titles(edited((0, first), in: programme([stage])), from: 0) == ["b", "b", "b", "b"])
    // Also where it would have continued after a pause of the music.
    let resumed = try edited((20_000, .pauseMusic), (30_000, .resumeMusic), (30_000, first), in: programme([stage]))
    #expect(titles(resumed, from: 31_000) == ["b", "b", "b", "b"])
  }

  @Test func `crossfades are limited by the track that begins, not by one that can't be played`() throws {
    let session = programme([
      Programme.Stage("A", [track("a", 80_000)], crossfade: Self.linear),
      Programme.Stage("B", [track("b", 4_000), track("c", 80_000)], crossfade: Self.linear),
    ])
    let skipped = (20_000 as FrameTime, Edit.passOver(stage: 1, entry: 0))
    #expect(
      try edited(skipped, in: session).texts(from: 20_000) == [
        "a/0.0.0 0-80000 leave 64000-80000", "c/0.0.1 64000-144000 in 64000-80000",
      ])
    #expect(
      try edited(skipped, (30_000, .stage(by: 1)), in: session).texts(from: 30_000) == [
        "a/0.0.0 0-46000 leave 30000-46000", "c/1.0.1 30000-110000 in 30000-46000",
      ])
  }

  @Test func `the session ends after a gong that waits for the end of the ramp into a pause`() throws {
    var stage = Programme.Stage("A", [], for: .frames(20_000))
    stage.gongs = [Programme.Gong("bell", 1_000, at: 19_950)]
    let paused = try edited((19_900, .pause), in: programme([stage]))
    #expect(paused.texts(from: 19_900) == ["bell/1.0.0.0 20060-21060"])
    #expect(paused.end == 21_060)
  }
}
