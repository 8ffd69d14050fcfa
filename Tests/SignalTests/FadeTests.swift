import Glibc
import Signal
import Testing

@Suite struct FadeTests {
  /// The formulas as the session format defines them, computed by the C library.
  private func formula(_ curve: FadeCurve, _ p: Double) -> Double {
    switch curve {
    case .equalPower: sin(.pi / 2 * p)
    case .linear: p
    case .logarithmic: log10(9 * p + 1)
    case .exponential: p * p
    case .sCurve: 3 * p * p - 2 * p * p * p
    }
  }

  @Test(arguments: FadeCurve.allCases)
  func `a curve equals its formula to the last bits of a Float`(curve: FadeCurve) {
    for step in 0...10_000 {
      let p = Double(step) / 10_000
      #expect(abs(Double(curve.gain(at: p)) - formula(curve, p)) < 1e-7, "p = \(p)")
    }
  }

  @Test(arguments: FadeCurve.allCases)
  func `a curve is 0 up to progress 0 and 1 from progress 1 on, and never falls in between`(curve: FadeCurve) {
    #expect(curve.gain(at: 0) == 0 && curve.gain(at: -3) == 0 && curve.gain(at: .nan) == 0)
    #expect(curve.gain(at: 1) == 1 && curve.gain(at: 7) == 1)
    let gains = (0...100_000).map { curve.gain(at: Double($0) / 100_000) }
    #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test func `the powers of an equal-power crossfade add up to one`() {
    let rising = Fade.rising(at: 100, over: 999, .equalPower)
    let falling = Fade.falling(at: 100, over: 999, .equalPower)
    for frame in FrameTime(90)..<1_110 {
      let power = rising.gain(at: frame) * rising.gain(at: frame) + falling.gain(at: frame) * falling.gain(at: frame)
      #expect(abs(power - 1) < 1e-6, "frame \(frame)")
    }
  }

  @Test func `a fade keeps its values outside its frames, and a fade without a length is a step`() {
    let fade = Fade(from: 0.25, to: 0.75, start: 10, length: 4, curve: .linear)
    #expect((8...16).map { fade.gain(at: $0) } == [0.25, 0.25, 0.25, 0.375, 0.5, 0.625, 0.75, 0.75, 0.75])
    let step = Fade(from: 0, to: 1, start: 10, length: 0, curve: .sCurve)
    #expect(step.gain(at: 9) == 0 && step.gain(at: 10) == 1)
  }

  @Test func `a falling fade is the rising one in reverse`() {
    for curve in FadeCurve.allCases {
      let rise = Fade.rising(at: 0, over: 64, curve)
      let fall = Fade.falling(at: 0, over: 64, curve)
      #expect((0...64).allSatisfy { rise.gain(at: $0) == fall.gain(at: 64 - $0) })
    }
  }
}

@Suite struct UnitsTests {
  @Test func `seconds are rounded to the nearest frame, and no time causes a trap`() {
    #expect(SampleRate.cd.frames(0.00001) == 0 && SampleRate.cd.frames(1.5) == 66_150)
    #expect(SampleRate.cd.frames(.infinity) == .endless && SampleRate.cd.frames(.nan) == 0)
    #expect(SampleRate.cd.frames(1e300) == .endless)
  }

  @Test func `only sample rates from 8,000 to 192,000 Hz exist`() {
    #expect(SampleRate(hertz: 7_999) == nil && SampleRate(hertz: 192_001) == nil)
    #expect(SampleRate(hertz: 8_000)?.hertz == 8_000 && SampleRate(hertz: 192_000)?.hertz == 192_000)
  }

  @Test func `decibels and factors are converted into each other`() {
    #expect(Gain(decibels: 0) == .unity)
    #expect(abs(Gain(decibels: -6).linear - 0.501187) < 1e-6)
    #expect(abs(Gain(linear: 0.5).decibels + 6.0206) < 1e-4)
  }

  @Test func `levels are peak and RMS values in dBFS`() {
    #expect(Level(peak: 1).decibels == 0 && Level(peak: 0).decibels == -.infinity)
    #expect(Level(rms: [Frame(left: 1, right: 0)]).decibels == 10 * log10(0.5))
    #expect(Level(rms: [Frame]()).decibels == -.infinity)
  }
}
