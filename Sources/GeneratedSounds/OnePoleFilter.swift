import Signal

/// A stereo filter of first order: y[n] = now·x[n] + before·x[n−1] + back·y[n−1].
///
/// Its corner frequencies are given in hertz, so it sounds the same at every sample rate.
struct OnePoleFilter: Sendable {
  private let now: Double
  private let before: Double
  private let back: Double
  /// The part of the next output that depends on earlier frames.
  private var state = SIMD2<Double>.zero

  private init(now: Double, before: Double, back: Double) {
    self.now = now
    self.before = before
    self.back = back
  }

  /// A filter that changes nothing.
  static let open = OnePoleFilter(now: 1, before: 0, back: 0)

  /// Falls by 6 dB per octave above `corner` hertz; `open` if the sample rate is too low for this corner.
  static func lowpass(_ corner: Double, at rate: SampleRate) -> OnePoleFilter {
    guard let pole = root(corner, at: rate) else { return .open }
    return OnePoleFilter(now: 1 - pole, before: 0, back: pole)
  }

  /// Falls by 6 dB per octave below `corner` hertz.
  static func highpass(_ corner: Double, at rate: SampleRate) -> OnePoleFilter {
    let pole = root(corner, at: rate) ?? 0
    return OnePoleFilter(now: (1 + pole) / 2, before: -(1 + pole) / 2, back: pole)
  }

  /// Falls by 6 dB per octave from `low` to `high` hertz, and is flat elsewhere.
  static func step(from low: Double, to high: Double, at rate: SampleRate) -> OnePoleFilter {
    guard let pole = root(low, at: rate) else { return .open }
    let zero = root(high, at: rate) ?? 0
    return OnePoleFilter(now: 1, before: -zero, back: pole)
  }

  /// Filters one frame; `x` is the left channel, `y` the right one.
  @inline(__always) mutating func filter(_ x: SIMD2<Double>) -> SIMD2<Double> {
    let y = x * now + state
    state = x * before + y * back
    return y
  }

  /// The pole or zero in the z-plane for a corner frequency; nil if the corner is above 0.45 of the sample rate.
  private static func root(_ corner: Double, at rate: SampleRate) -> Double? {
    guard corner < 0.45 * Double(rate.hertz) else { return nil }
    return exponential(-6.28318530717958647693 * corner / Double(rate.hertz))
  }
}
