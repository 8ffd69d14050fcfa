import Signal
import TestSupport
import Testing

@testable import Schedule

@Suite struct ClipSequenceTests {
  /// Tracks of three seconds that repeat endlessly, a gong each minute, and an overlay that repeats endlessly.
  private static let endless: Schedule = {
    let crossfade = FadeShape(length: 4_000, curve: .equalPower)
    var stage = Programme.Stage(
      "A", [track("a", 24_000), track("b", 24_000)], for: .open, repetition: .playlist, crossfade: crossfade)
    stage.gongs = [Programme.Gong(sound: Programme.Sound("bell", 8_000), .every(480_000, count: nil))]
    var voice = Programme.Overlay("voice", 10_000, at: 0)
    voice.times = .forever
    stage.overlays = [voice]
    return Schedule(programme([stage]))
  }()

  private static let mixed: Schedule = {
    let crossfade = FadeShape(length: 1_000, curve: .linear)
    var first = Programme.Stage("A", [track("a", 5_000), track("b", 5_000)], crossfade: crossfade)
    first.gongs = [Programme.Gong("bell", 3_000, at: 4_000, 0)]
    first.overlays = [Programme.Overlay("voice", 6_000, at: 4_000)]
    let second = Programme.Stage(
      "B", [track("c", 5_000)], crossfade: crossfade, gongs: [Programme.Gong("bell", 3_000, at: 0)])
    var session = programme([first, second])
    session.gongs = [Programme.Gong("gong", 2_000, at: 0, 4_000)]
    return Schedule(session)
  }()

  @Test func `clips are ordered by first frame; within a frame, session cues come first, then music, then stage cues`()
  {
    #expect(
      Self.mixed.texts(from: 0) == [
        "gong/0.0.0.0 0-2000", "a/0.0.0 0-5000 out 4000-5000", "bell/1.2.1.0 0-3000",
        "gong/0.0.1.0 4000-6000", "b/0.1.1 4000-9000 in 4000-5000 leave 8000-9000",
        "voice/1.1.0.0 4000-9000 leave 8000-9000", "bell/1.2.0.0 4000-7000",
        "c/0.0.0 8000-13000 in 8000-9000", "bell/1.3.0.0 8000-11000",
      ])
    #expect(Set(Self.mixed.clips(from: 0).map(\.id)).count == 9)
  }

  @Test func `strikes of one frame come in their order, however many there were before`() {
    var stage = Programme.Stage("A", [], for: .frames(60_000))
    var gong = Programme.Gong(sound: Programme.Sound("bell", 4), .every(10, count: nil))
    (gong.strikes, gong.spacing) = (2, 10)
    stage.gongs = [gong]
    let clips = Array(Schedule(programme([stage])).clips(from: 0))
    let times = clips.map { clip in if case .cue(_, _, _, let time) = clip.id.origin { time } else { -1 } }
    let isOrdered = zip(clips, clips.dropFirst()).allSatisfy { $0.begin < $1.begin || $0.id.ordinal < $1.id.ordinal }
    // Two strikes of one frame: the second one of a repeat and the first one of the next.
    let isInTurn = stride(from: 1, to: 11_990, by: 2).allSatisfy { times[$0] + 1 == times[$0 + 1] }
    #expect(clips.count == 11_998 && isOrdered && isInTurn)
  }

  @Test func `the order of clips has room for the longest session`() {
    let cues = [(1, 0, 0, 0), (1, 0, 0, 1 << 41), (1, 0, 100_000, 0), (1, 200_000, 0, 0), (1_000_000, 0, 0, 0)]
      .map { ClipID(.cue(visit: $0, cue: $1, start: $2, time: $3), stage: 0) }
    let tracks =
      [ClipID(.track(move: 0, trackPlay: 1 << 40, entry: 9), stage: 1)]
      + [0, 1 << 20].map { ClipID(.track(move: 1 << 20, trackPlay: 0, entry: 0), stage: 1, part: $0) }
    let all =
      [ClipID(.cue(visit: 0, cue: 0, start: 0, time: 0), stage: nil)] + cues + tracks
      + [ClipID(.track(move: 0, trackPlay: 0, entry: 0), stage: 999)]
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.ordinal < $1.ordinal })
  }

  @Test func `the clips from a frame on are those of the whole schedule that end after it`() {
    let all = Array(Self.mixed.clips(from: 0))
    for frame in stride(from: 0 as FrameTime, through: 13_000, by: 250) {
      let rest = Array(Self.mixed.clips(from: frame))
      #expect(rest == all.filter { frame < $0.end }, "\(frame)")
    }
  }

  @Test func `the clips that sound at a frame have begun and not ended`() {
    #expect(Self.mixed.playing(at: 4_500).map(\.title) == ["a", "gong", "b", "voice", "bell"])
    #expect(Self.mixed.playing(at: 5_000).map(\.title) == ["gong", "b", "voice", "bell"])
    #expect(Self.mixed.playing(at: 13_000).isEmpty)
  }

  @Test func `a copied sequence advances independently`() {
    var clips = Self.endless.clips(from: 0)
    let other = clips
    for _ in 0..<1_000 { clips.drop() }
    #expect(other.head?.begin == 0 && clips.head?.begin == 6_580_000)
  }

  // An eager or a linear search would never end here: there are 5,000 million tracks before that frame.
  @Test(.timeLimit(.minutes(20))) func `the clips after years are found at once`() {
    let years: FrameTime = 100_000_000_000_000
    var schedule = Self.endless
    schedule.advance(to: years, keeping: years)
    let expected = [
      "b/0.4999999999.1 99999999980000-100000000004000 in 99999999980000-99999999984000 out 100000000000000-100000000004000",
      "a/0.5000000000.0 100000000000000-100000000024000 in 100000000000000-100000000004000 out 100000000020000-100000000024000",
      "voice/1.0.0.10000000000 100000000000000-100000000010000",
      "voice/1.0.0.10000000001 100000000010000-100000000020000",
    ]
    #expect(schedule.clips(from: years).prefix(4).map(\.text) == expected)
  }

  @Test(.timeLimit(.minutes(20))) func `advancing by a week in one step or in many gives the same clips`() {
    let week: FrameTime = 7 * 86_400 * 8_000
    var (once, often) = (Self.endless, Self.endless)
    once.advance(to: week, keeping: week)
    for step in stride(from: 0, through: week, by: 24_000 * 100) { often.advance(to: step, keeping: step) }
    #expect(once.texts(from: week) == often.texts(from: week) && !once.texts(from: week).isEmpty)
    #expect(once.tails.count == often.tails.count && once.tails.count <= 2)
  }
}
