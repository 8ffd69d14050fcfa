import Signal
import TestSupport
import Testing

@testable import Schedule

/// One stage of 10,000 frames.
@Suite struct SoundEffectsPlayerTests {
  private static let bell = Programme.Sound("bell", 3_000)

  private static func session(_ gongs: Programme.Gong..., length: Double = 10_000) -> Programme {
    var session = programme([Programme.Stage("A", [], for: .frames(length), gongs: gongs)])
    _ = session.assignIDs()
    return session
  }

  private static func spans(of session: Programme) -> [CueSpan] { session.spans(of: session.layout) }

  private static func asked(id: Int = 9) -> Programme.Gong {
    var gong = Programme.Gong(sound: bell, .at([]))
    gong.id = id
    return gong
  }

  private func begins(_ player: SoundEffectsPlayer = SoundEffectsPlayer(), in session: Programme) -> [[FrameTime]] {
    player.series(of: session, in: Self.spans(of: session)).map { series in
      (0..<9).flatMap { time in
        (0..<series.gong.strikes).compactMap { strike in series.clip(time: time, strike: strike)?.begin }
      }
    }
  }

  @Test func `commanded cues are forgotten when they have ended, and not before`() throws {
    var session = Self.session(length: 4_000_000)
    session.overlays = []
    var schedule = Schedule(session)
    let cue = Cue(source: Self.bell.source, title: "bell", gain: .unity)
    for second in 1...200 as ClosedRange<FrameTime> {
      let frame = second * testRate.frames(1)
      schedule = try schedule.applying(.gong(cue, length: 3_000), at: frame, keeping: frame)
      schedule = try schedule.applying(
        .overlay(OverlayRequest(cue: cue), length: 3_000), at: frame + 100, keeping: frame)
    }
    // Those of the last second, and of a second more, in which a pause may have moved them.
    #expect(schedule.series.count == 2 && schedule.occurrences.count == 2)
    schedule.advance(to: 1_604_000, keeping: 1_602_900)
    #expect(schedule.playing(at: 1_602_900).map(\.layer) == [.effect, .overlay])
  }

  @Test func `a session that a command ends lasts as long as the repeating gongs that ring`() throws {
    let gong = Programme.Gong(sound: Programme.Sound("bell", 30_000), .every(10_000, count: nil))
    let session = Self.session(gong, length: 52_000)
    #expect(Schedule(session).end == 80_000)
    #expect(try Schedule(session).applying(.finish, at: 45_000, keeping: 45_000).end == 70_000)
  }

  @Test func `strikes are spaced as requested and never drift`() {
    var gong = Programme.Gong("bell", 3_000, at: 1_000, 4_000)
    (gong.strikes, gong.spacing) = (3, 800.5)
    #expect(begins(in: Self.session(gong)) == [[1_000, 1_801, 2_601], [4_000, 4_801, 5_601]])
  }

  @Test func `strikes that begin at the end of the stage all ring out after it`() {
    var gong = Programme.Gong(sound: Self.bell, .at([.beforeEnd(0)]))
    (gong.strikes, gong.spacing) = (2, 4_000)
    #expect(begins(in: Self.session(gong)) == [[10_000, 14_000]])
  }

  @Test func `a position outside the stage never sounds`() {
    let gong = Programme.Gong(sound: Self.bell, .at([.afterStart(10_001), .beforeEnd(10_001), .beforeEnd(10_000)]))
    #expect(begins(in: Self.session(gong)) == [[0]])
  }

  @Test(
    arguments: [
      (3_000, nil, [3_000, 6_000, 9_000]), (3_000, 2, [3_000, 6_000]), (3_000, 5, [3_000, 6_000, 9_000]),
      (2_500, nil, [2_500, 5_000, 7_500]), (2_500, 4, [2_500, 5_000, 7_500, 10_000]),
      (3_333.5, nil, [3_334, 6_667]), (20_000, nil, []),
    ] as [(Double, Int?, [FrameTime])])
  func `a series lasts as long as its stage, or up to its count`(
    interval: Double, count: Int?, expected: [FrameTime]
  ) {
    let gong = Programme.Gong(sound: Self.bell, .every(interval, count: count))
    #expect(begins(in: Self.session(gong)) == [expected])
  }

  @Test func `each strike has its own ID`() {
    var gong = Programme.Gong(sound: Self.bell, .every(4_000, count: nil))
    (gong.strikes, gong.spacing) = (2, 500)
    let session = Self.session(gong)
    let series = SoundEffectsPlayer().series(of: session, in: Self.spans(of: session))[0]
    let names = (0..<2).flatMap { time in (0..<2).compactMap { series.clip(time: time, strike: $0)?.id.text } }
    #expect(names == ["1.0.0.0", "1.0.0.1", "1.0.0.2", "1.0.0.3"])
  }

  @Test func `a gong that has begun keeps its position when the end of its stage moves`() {
    var player = SoundEffectsPlayer()
    let gong = Programme.Gong(sound: Self.bell, .at([.beforeEnd(8_000), .beforeEnd(2_000)]))
    let session = Self.session(gong)
    player.recordBegun(player.series(of: session, in: Self.spans(of: session)), before: 5_000)
    #expect(begins(player, in: Self.session(gong, length: 20_000)) == [[2_000], [18_000]])
  }

  @Test func `a gong started by a command rings out after its stage, and overlaps freely`() {
    var player = SoundEffectsPlayer()
    player.strike(Self.asked(), stage: 0, visit: 1, at: 9_000)
    player.strike(Self.asked(id: 10), stage: 0, visit: 1, at: 9_001)
    let session = Self.session()
    let clips = player.series(of: session, in: Self.spans(of: session)).compactMap { $0.clip(time: 0, strike: 0) }
    #expect(clips.map(\.text) == ["bell/1.9.0.0 9000-12000", "bell/1.10.0.0 9001-12001"])
    #expect(clips.map(\.stage) == [0, 0])
  }

  @Test func `leaving a stage removes the gongs started by commands, except a strike at the same frame`() {
    var player = SoundEffectsPlayer()
    player.strike(Self.asked(), stage: 0, visit: 1, at: 3_000)
    player.strike(Self.asked(id: 10), stage: 0, visit: 1, at: 5_000)
    player.strike(Self.asked(id: 11), stage: 1, visit: 2, at: 5_000)
    player.leave(visit: 1, at: 5_000)
    #expect(begins(player, in: Self.session()) == [[5_000], [5_000]])
  }

  @Test func `a stop fades out ringing gongs and keeps those to come`() throws {
    var session = Self.session(Programme.Gong("bell", 3_000, at: 1_000, 5_000))
    session.gongs = [Programme.Gong("long", 6_000, at: 0)]
    let stopped = try Schedule(session).applying(.stopEffects, at: 2_000, keeping: 0)
    #expect(
      stopped.texts(from: 0) == [
        "long/0.0.0.0 0-2160 leave 2000-2160", "bell/1.1.0.0 1000-2160 leave 2000-2160", "bell/1.1.1.0 5000-8000",
      ])
  }

  @Test func `an edit that shortens the session drops the cues after its end, and reports how many`() throws {
    var session = programme([Programme.Stage("A", [track("a", 50_000)]), Programme.Stage("B", [track("b", 50_000)])])
    session.gongs = [
      Programme.Gong(sound: Self.bell, .every(10_000, count: 9)), Programme.Gong("bell", 3_000, at: 95_000, 4_000),
      Programme.Gong(sound: Programme.Sound("forever", 10), .every(1_000, count: nil)),
    ]
    session.overlays = [Programme.Overlay("voice", 4_000, at: 70_000)]
    let before = Schedule(session)
    let after = try before.applying(.stage(by: 1), at: 15_000, keeping: 15_000)
    // It ends at frame 65,000.
    let dropped = before.cues(droppedBy: after, at: 15_000)
    #expect(
      dropped == [
        DroppedCue(title: "bell", at: 70_000, count: 4), DroppedCue(title: "voice", at: 70_000, count: 1),
      ])
    #expect(after.cues(droppedBy: before, at: 15_000) == [])
    let open = try after.applying(.repetition(.track, count: nil), at: 16_000, keeping: 16_000)
    #expect(after.cues(droppedBy: open, at: 16_000) == [])
  }

  @Test func `a stop cancels strikes that were commanded before it at the same frame`() {
    var player = SoundEffectsPlayer()
    player.strike(Self.asked(), stage: 0, visit: 1, at: 2_000)
    player.stopCommanded(at: 2_000)
    player.stopCommanded(at: 2_000)
    #expect(begins(player, in: Self.session()) == [] && player.stops == [2_000])
  }

  @Test(arguments: [0, 2_999, 3_000, 7_000, 11_999, 12_000, 40_000, 1_000_000_007] as [FrameTime])
  func `a search from a frame misses no strike that ends after it`(frame: FrameTime) {
    var gong = Programme.Gong(sound: Self.bell, .every(4_000, count: nil))
    (gong.strikes, gong.spacing) = (2, 2_500)
    let session = Self.session(gong, length: 2e9)
    let series = SoundEffectsPlayer().series(of: session, in: Self.spans(of: session))[0]
    let first = series.firstTime(endingAfter: frame)
    let missed = max(0, first - 3)..<first
    #expect(missed.allSatisfy { series.clip(time: $0, strike: 1).map { $0.end <= frame } ?? true })
    #expect(series.clip(time: first + 3, strike: 1).map { frame < $0.end } ?? false)
  }
}
