import Signal

/// A stereo filter of first order; its corners are hertz, so that it sounds alike at every rate.
struct Section: Sendable {
  private let now: Double
  private let before: Double
  private let back: Double
  private var state = SIMD2<Double>.zero

  private init(now: Double, before: Double, back: Double) {
    self.now = now
    self.before = before
    self.back = back
  }

  /// Lets everything through.
  static let open = Section(now: 1, before: 0, back: 0)

  /// Falls by 6 dB an octave above `corner`; open when the rate is too low to hold the corner.
  static func lowpass(_ corner: Double, at rate: SampleRate) -> Section {
    guard let pole = root(corner, at: rate) else { return .open }
    return Section(now: 1 - pole, before: 0, back: pole)
  }

  /// Falls by 6 dB an octave below `corner`.
  static func highpass(_ corner: Double, at rate: SampleRate) -> Section {
    let pole = root(corner, at: rate) ?? 0
    return Section(now: (1 + pole) / 2, before: -(1 + pole) / 2, back: pole)
  }

  /// Falls by 6 dB an octave from `low` up to `high`, and is level elsewhere.
  static func step(from low: Double, to high: Double, at rate: SampleRate) -> Section {
    guard let pole = root(low, at: rate) else { return .open }
    let zero = root(high, at: rate) ?? 0
    return Section(now: 1, before: -zero, back: pole)
  }

  @inline(__always) mutating func filter(_ x: SIMD2<Double>) -> SIMD2<Double> {
    let y = x * now + state
    state = x * before + y * back
    return y
  }

  /// Where a corner lies in the z-plane; nil above 0.45 of the rate.
  private static func root(_ corner: Double, at rate: SampleRate) -> Double? {
    guard corner < 0.45 * Double(rate.hertz) else { return nil }
    return exponential(-6.28318530717958647693 * corner / Double(rate.hertz))
  }
}
