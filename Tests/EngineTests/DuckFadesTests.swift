import Signal
import Testing

@testable import Engine

@Suite struct DucksTests {
  /// The factor by which the music is multiplied at a frame.
  private func gain(_ ducks: borrowing DuckFades, at frame: FrameTime) -> Float {
    var gains = GainBuffer()
    gains.begin(1, count: 1)
    ducks.multiply(&gains, from: frame)
    var mix = Frame(mono: 1)
    gains.scale(&mix)
    return mix.left
  }

  private func down(to gain: Float) -> Fade { Fade(from: 1, to: gain, start: 0, length: 0, curve: .linear) }

  private func up(from gain: Float) -> Fade { Fade(from: gain, to: 1, start: 1, length: 1_000, curve: .linear) }

  @Test func `in a full table the deepest duck counts, and a new duck replaces the one that has recovered most`() {
    var ducks = DuckFades(capacity: 3)
    for (owner, depth) in [0.2, 0.6, 0.4].enumerated() {
      ducks.set(down(to: Float(depth)), of: owner, at: 0)
      ducks.set(up(from: Float(depth)), of: owner, at: 1)
    }
    #expect(gain(ducks, at: 1) == 0.2)
    ducks.set(Fade(from: 1, to: 0.1, start: 2, length: 0, curve: .linear), of: 3, at: 2)
    #expect(gain(ducks, at: 2) == 0.1)
    ducks.set(Fade(from: 0.1, to: 1, start: 3, length: 0, curve: .linear), of: 3, at: 3)
    let deepest = up(from: 0.2)
    #expect(gain(ducks, at: 3) == deepest.gain(at: 3))
    ducks.prune(before: 4)
    ducks.set(down(to: 0.3), of: 0, at: 4)
    #expect(gain(ducks, at: 4) == 0.3)
  }

  @Test func `a new duck is ignored if the table is full and no duck is recovering`() {
    var ducks = DuckFades(capacity: 2)
    for owner in 0..<2 { ducks.set(down(to: 0.5), of: owner, at: 0) }
    ducks.set(down(to: 0.1), of: 2, at: 0)
    #expect(gain(ducks, at: 0) == 0.5)
  }
}
