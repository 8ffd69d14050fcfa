import Signal
import TestSupport
import Testing

@testable import Schedule

@Suite struct CrossfadeOrchestratorTests {
  let orchestrator = CrossfadeOrchestrator(rate: testRate)

  @Test(
    arguments: [
      (100_000, 40_000, CrossfadeOrchestrator.Strategy.full(40_000)), (40_000, 40_000, .full(40_000)),
      (.endless, 40_000, .full(40_000)), (39_999, 40_000, .separate(fadeOut: 39_999, fadeIn: 40_000)),
      (1, 40_000, .separate(fadeOut: 1, fadeIn: 40_000)), (0, 40_000, .separate(fadeOut: 0, fadeIn: 40_000)),
      (-1, 40_000, .separate(fadeOut: 0, fadeIn: 40_000)), (100, -1, .instant), (100_000, 0, .instant),
      (.endless, .endless, .full(.endless)),
    ] as [(FrameCount, FrameCount, CrossfadeOrchestrator.Strategy)])
  func `the fades of a transition are as long as the remaining time allows`(
    remaining: FrameCount, wanted: FrameCount, expected: CrossfadeOrchestrator.Strategy
  ) {
    #expect(CrossfadeOrchestrator.strategy(remaining: remaining, wanted: wanted) == expected)
  }

  /// Stage A has 40,000 frames of music in 40,000 − `left` frames, and stage B fades in over 16,000.
  @Test(arguments: [32_000, 16_000, 15_999, 1] as [FrameCount])
  func `the strategy decides the change into the next stage`(left: FrameCount) {
    let shape = FadeShape(length: 16_000, curve: .linear)
    let session = programme([
      Programme.Stage("A", [track("a", 40_000)], for: .frames(Double(40_000 - left)), crossfade: shape),
      Programme.Stage("B", [track("b", 40_000)], crossfade: shape),
    ])
    let clips = Array(Schedule(session).clips(from: 0))
    let fades: CrossfadeOrchestrator.Strategy =
      if let out = clips[0].leave?.length, let rise = clips[1].fadeIn?.length {
        out == rise ? .full(out) : .separate(fadeOut: out, fadeIn: rise)
      } else { .instant }
    #expect(fades == CrossfadeOrchestrator.strategy(remaining: left, wanted: 16_000))
  }

  @Test func `navigation rolls an early crossfade back, lets a late one finish, and speeds up the others`() {
    #expect([0, 0.1999].allSatisfy { orchestrator.navigation(progress: $0) == .rollBack })
    #expect([0.2, 0.5, 0.9].allSatisfy { orchestrator.navigation(progress: $0) == .fastForward })
    #expect([0.9001, 1].allSatisfy { orchestrator.navigation(progress: $0) == .letFinish })
  }

  @Test func `a quick finish takes a second, or the remaining time if that is less`() {
    let long = Fade.rising(at: 1_000, over: 40_000, .equalPower)
    #expect(long.shortened(at: 25_000, over: orchestrator.quickFinish).end == 33_000)
    #expect(long.shortened(at: 33_000, over: orchestrator.quickFinish) == long)
    #expect(long.shortened(at: 40_000, over: orchestrator.quickFinish) == long)
    let begun = long.shortened(at: 1_000, over: orchestrator.quickFinish)
    #expect(begun == .rising(at: 1_000, over: 8_000, .equalPower))
  }

  /// Both gains continue from where they are and stay on the curves of the old crossfade: each later pair of gains also
  /// occurs in the old crossfade, so no curve dips more than it did.
  @Test(arguments: FadeCurve.allCases)
  func `a quick finish is the rest of the old crossfade, faster`(curve: FadeCurve) {
    for length in [9_000, 40_000, 480_000] as [FrameCount] {
      let rising = Fade.rising(at: 100, over: length, curve)
      let falling = Fade.falling(at: 100, over: length, curve)
      for step in 1..<50 {
        let frame = 100 + length * FrameCount(step) / 50
        let (up, down) = (rising.shortened(at: frame, over: 8_000), falling.shortened(at: frame, over: 8_000))
        let longest = max(up.gain(at: frame) - rising.gain(at: frame), falling.gain(at: frame) - down.gain(at: frame))
        #expect(abs(longest) < 5e-4, "\(length) \(step)")
        #expect(up.length == down.length && up.start == down.start)
        #expect(sameLaw(up, down, as: curve), "\(length) \(step)")
        #expect(up.end == min(rising.end, frame + 8_000) && up.gain(at: up.end) == 1 && down.gain(at: up.end) == 0)
      }
    }
  }

  @Test(arguments: FadeCurve.allCases)
  func `a crossfade that is rolled back follows its own curve in reverse`(curve: FadeCurve) {
    for length in [1_000, 40_000, 480_000] as [FrameCount] {
      let rising = Fade.rising(at: 100, over: length, curve)
      let falling = Fade.falling(at: 100, over: length, curve)
      for step in 1..<50 {
        let frame = 100 + length * FrameCount(step) / 50
        let back = orchestrator.redirected(falling, at: frame, by: .rollBack)
        let away = orchestrator.redirected(rising, at: frame, by: .rollBack)
        #expect(abs(back.gain(at: frame) - falling.gain(at: frame)) < 2e-3, "\(length) \(step)")
        #expect(abs(away.gain(at: frame) - rising.gain(at: frame)) < 2e-3, "\(length) \(step)")
        #expect(sameLaw(back, away, as: curve), "\(length) \(step)")
        #expect(back.end == frame + min(2_400, frame - 100))
        #expect(back.gain(at: back.end) == 1 && away.gain(at: away.end) == 0)
      }
    }
  }

  @Test func `equal power is kept by every kind of navigation`() {
    let rising = Fade.rising(at: 0, over: 40_000, .equalPower)
    let falling = Fade.falling(at: 0, over: 40_000, .equalPower)
    for navigation in [CrossfadeOrchestrator.Navigation.rollBack, .fastForward, .letFinish] {
      let up = orchestrator.redirected(rising, at: 12_345, by: navigation)
      let down = orchestrator.redirected(falling, at: 12_345, by: navigation)
      for frame in stride(from: 12_345 as FrameTime, through: 41_000, by: 97) {
        let power = up.gain(at: frame) * up.gain(at: frame) + down.gain(at: frame) * down.gain(at: frame)
        #expect(abs(power - 1) < 1e-6, "\(navigation) \(frame)")
      }
    }
  }

  @Test func `rolling back a crossfade that has not begun does nothing, and one that is over returns completely`() {
    let rising = Fade.rising(at: 1_000, over: 8_000, .linear)
    #expect(orchestrator.redirected(rising, at: 1_000, by: .rollBack).gain(at: 1_000) == 0)
    #expect(orchestrator.redirected(rising, at: 500, by: .rollBack).gain(at: 500) == 0)
    let over = orchestrator.redirected(rising, at: 20_000, by: .rollBack)
    #expect(over.gain(at: 20_000) == 1 && over.gain(at: 21_200) == 0.5 && over.gain(at: 22_400) == 0)
  }

  /// Whether the two gains at each frame belong to one crossfade along `curve`, at the same progress.
  private func sameLaw(_ first: Fade, _ second: Fade, as curve: FadeCurve) -> Bool {
    let (up, down) = first.from < first.to ? (first, second) : (second, first)
    return (0...20).allSatisfy { step in
      let frame = up.start + up.length * FrameCount(step) / 20
      let progress = up.progress(at: frame)
      return up.gain(at: frame) == curve.gain(at: progress) && down.gain(at: frame) == curve.gain(at: 1 - progress)
    }
  }
}
