import Signal
import Testing

@testable import Engine

@Suite struct DuckFadesTests {
  /// The factor by which the music is multiplied at a frame.
  private func gain(_ fades: borrowing DuckFades, at frame: FrameTime) -> Float {
    var gains = GainBuffer()
    gains.begin(1, count: 1)
    fades.multiply(&gains, from: frame)
    var mix = Frame(mono: 1)
    gains.scale(&mix)
    return mix.left
  }

  private func down(to gain: Float) -> Fade { Fade(from: 1, to: gain, start: 0, length: 0, curve: .linear) }

  private func up(from gain: Float) -> Fade { Fade(from: gain, to: 1, start: 1, length: 1_000, curve: .linear) }

  @Test func `the lowest gain applies, and without room a new fade replaces the one that has recovered most`() {
    var fades = DuckFades(capacity: 3)
    for (owner, depth) in [0.2, 0.6, 0.4].enumerated() {
      fades.set(down(to: Float(depth)), of: UInt128(owner), at: 0)
      fades.set(up(from: Float(depth)), of: UInt128(owner), at: 1)
    }
    #expect(gain(fades, at: 1) == 0.2)
    fades.set(Fade(from: 1, to: 0.1, start: 2, length: 0, curve: .linear), of: 3, at: 2)
    #expect(gain(fades, at: 2) == 0.1)
    fades.set(Fade(from: 0.1, to: 1, start: 3, length: 0, curve: .linear), of: 3, at: 3)
    let deepest = up(from: 0.2)
    #expect(gain(fades, at: 3) == deepest.gain(at: 3))
    fades.prune(before: 4)
    fades.set(down(to: 0.3), of: 0, at: 4)
    #expect(gain(fades, at: 4) == 0.3)
  }

  @Test func `a new fade is dropped if there is no room and no fade is recovering`() {
    var fades = DuckFades(capacity: 2)
    for owner in UInt128(0)..<2 { fades.set(down(to: 0.5), of: owner, at: 0) }
    fades.set(down(to: 0.1), of: 2, at: 0)
    #expect(gain(fades, at: 0) == 0.5)
  }
}
