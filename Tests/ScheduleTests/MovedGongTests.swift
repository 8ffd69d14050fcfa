import Signal
import TestSupport
import Testing

@testable import Schedule

/// Gongs at an interval whose strikes are moved, and gongs that also strike at positions. One stage of 100,000 frames.
@Suite struct MovedGongTests {
  private static let length = 100_000.0

  private static func gong(share: Double, seed: UInt64, every interval: Double = 10_000, count: Int? = nil)
    -> Programme.Gong
  {
    var gong = Programme.Gong(sound: Programme.Sound("bell", 100), .every(interval, count: count))
    gong.jitter = Programme.Gong.Jitter(share: share, seed: seed, length: length)
    return gong
  }

  private static func begins(_ gong: Programme.Gong, lasting length: Double = length) -> [FrameTime] {
    Schedule(programme([Programme.Stage("A", [], for: .frames(length), gongs: [gong])])).clips(from: 0).map(\.begin)
  }

  @Test func `each strike is moved by at most its share, stays in the stage and in order, and none is lost`() {
    var (moved, earliest, latest) = (0, 0.0, 0.0)
    for seed in 0..<1_000 as Range<UInt64> {
      let begins = Self.begins(Self.gong(share: 0.5, seed: seed))
      #expect(begins.count == 9 && begins == Set(begins).sorted(), "seed \(seed)")
      let offsets = begins.enumerated().map { Double($1) - Double($0 + 1) * 10_000 }
      #expect(offsets.allSatisfy { $0.magnitude <= 5_000.5 } && begins.allSatisfy { 0 < $0 && $0 < 100_000 })
      moved += offsets.count { 100 < $0.magnitude }
      (earliest, latest) = (min(earliest, offsets.min() ?? 0), max(latest, offsets.max() ?? 0))
      // The last of ten is due at the end itself.
      #expect(Self.begins(Self.gong(share: 0.2, seed: seed, count: 10)).count == 10)
    }
    #expect(8_500 < moved && earliest < -4_900 && 4_900 < latest)
  }

  @Test func `the same seed gives the same frames, and another one others`() {
    #expect(Self.begins(Self.gong(share: 0.2, seed: 7)) == Self.begins(Self.gong(share: 0.2, seed: 7)))
    #expect(Self.begins(Self.gong(share: 0.2, seed: 7)) != Self.begins(Self.gong(share: 0.2, seed: 8)))
    #expect(Self.begins(Self.gong(share: 0, seed: 7)) == (1...9).map { $0 * 10_000 })
  }

  @Test func `a stage that is extended keeps the strikes to come, and goes on`() throws {
    for seed in 0..<100 as Range<UInt64> {
      let gong = Self.gong(share: 0.5, seed: seed)
      var schedule = Schedule(programme([Programme.Stage("A", [], for: .frames(Self.length), gongs: [gong])]))
      let before = schedule.clips(from: 0).map(\.begin)
      // Shortly before the end, when a strike of the added time must not lie in the past.
      for (frame, count) in [(99_999, 14), (149_999, 19)] as [(FrameTime, Int)] {
        schedule.advance(to: frame, keeping: frame)
        schedule = try schedule.applying(.extend(by: 50_000 / 8_000.0), at: frame, keeping: frame)
        let end = FrameTime(nearest: schedule.layout.exactEnd ?? 0)
        let added = schedule.clips(from: frame).map(\.begin).filter { frame < $0 }
        #expect(added.allSatisfy { $0 < end } && (4...6).contains(added.count), "seed \(seed)")
        let all = Self.begins(gong, lasting: Double(end))
        #expect(all.prefix(9) == before[...] && all.suffix(added.count) == added[...], "seed \(seed)")
        #expect((count - 1...count + 1).contains(all.count))
      }
    }
  }

  @Test func `a gong at positions and at an interval strikes once where both are one frame`() {
    var gong = Programme.Gong(sound: Programme.Sound("bell", 100), .every(30_000, count: nil))
    gong.positions = [.afterStart(0), .afterStart(60_000), .beforeEnd(10_000), .beforeEnd(0)]
    #expect(Self.begins(gong) == [0, 30_000, 60_000, 90_000, 100_000])
    gong.positions = [.afterStart(60_001)]
    #expect(Self.begins(gong) == [30_000, 60_000, 60_001, 90_000])
    var random = Programme.Gong(sound: Programme.Sound("bell", 100), .at([.afterStart(5_000), .afterStart(7_000)]))
    random.positions = [.afterStart(5_000), .beforeEnd(0)]
    #expect(Self.begins(random) == [5_000, 7_000, 100_000])
  }
}
