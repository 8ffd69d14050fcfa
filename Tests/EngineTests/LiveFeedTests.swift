import Signal
import Testing

@testable import Engine

/// The sound of an output that must never fall silent without notice.
@Suite struct LiveFeedTests {
  private let rate = SampleRate.studio
  private let tone = [Frame](repeating: Frame(mono: 0.5), count: 4_800)

  @Test func `frames that come in time pass unchanged`() {
    var feed = LiveFeed(at: rate, from: 0)
    var heard: [Frame] = []
    for step in 1...10 {
      heard += feed.silence(at: 0.1 * Double(step) - 0.05)
      heard += feed.take(tone, at: 0.1 * Double(step))
    }
    heard += feed.end()
    #expect(heard == Array(repeating: Frame(mono: 0.5), count: 48_000))
  }

  @Test func `missing frames become silence in real time, between a fade-out and a fade-in`() {
    var feed = LiveFeed(at: rate, from: 0)
    var heard = feed.take(tone, at: 0.1)
    for step in 1...20 { heard += feed.silence(at: 0.1 + 0.1 * Double(step)) }
    // Two seconds without a frame: as many frames as time has passed, and those that were kept back.
    #expect(heard.count == 4_800 + 96_000)
    let steps = zip(heard, heard.dropFirst()).map { abs($0.left - $1.left) }
    #expect(steps.allSatisfy { $0 < 0.01 })
    #expect(heard[4_800...].allSatisfy { $0 == .silence })
    let back = feed.take(tone, at: 2.2) + feed.end()
    #expect(back.count == 4_800 && back[0].left == 0)
    #expect(back[960...].allSatisfy { $0.left == 0.5 })
    #expect(zip(back, back.dropFirst()).allSatisfy { abs($0.left - $1.left) < 0.01 })
  }

  @Test func `silence before the first frame does not fade it in`() {
    var feed = LiveFeed(at: rate, from: 0)
    #expect(feed.silence(at: 0.05).isEmpty)
    #expect(feed.silence(at: 0.5).count == 24_000)
    let heard = feed.take(tone, at: 0.55) + feed.end()
    #expect(heard == tone)
  }

  @Test func `a clock that is a little faster or slower than the frames gives no more silence than needed`() {
    for speed in [0.999, 1.001] {
      var feed = LiveFeed(at: rate, from: 0)
      var silence = 0
      for step in 1...6_000 {
        let now = 0.1 * Double(step) * speed
        silence += feed.silence(at: now - 0.02).count
        _ = feed.take(tone, at: now)
      }
      // Frames that are slower by a thousandth are 0.6 s late after ten minutes.
      #expect(speed < 1 ? silence == 0 : 28_800...34_000 ~= silence)
    }
  }
}
