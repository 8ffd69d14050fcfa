import Signal

/// A filter that converts white noise to noise with another spectrum. Its initial state is 0.
protocol NoiseColour: Sendable {
  init(at rate: SampleRate)

  /// Filters one frame; `x` is the left channel, `y` the right one.
  mutating func filter(_ white: SIMD2<Double>) -> SIMD2<Double>
}

extension NoiseColour {
  /// Seconds after which the effect of a filter's initial state is below −140 dB.
  static var warmUp: Double { 0.25 }

  /// The factor that gives filtered white noise, which was uniformly distributed over −1…1, a root mean square of
  /// `decibels` dBFS.
  ///
  /// The power of the result is the sum of the squared impulse response times 1/3, the power of the white noise.
  static func gain(to decibels: Double, at rate: SampleRate) -> Double {
    var filter = Self(at: rate)
    var power = 0.0
    var impulse = SIMD2(1.0, 0.0)
    for _ in 0..<rate.frames(warmUp) {
      let answer = filter.filter(impulse).x
      power += answer * answer
      impulse = .zero
    }
    return amplitude(decibels: decibels) / (power / 3).squareRoot()
  }

  /// A filter in the state that it has at `frame` if it has processed all the noise before it.
  static func warmedUp(to frame: FrameTime, on noise: IndexedRandom, at rate: SampleRate) -> Self {
    var filter = Self(at: rate)
    for index in (frame - rate.frames(warmUp))..<frame { _ = filter.filter(noise.stereo(index)) }
    return filter
  }
}

/// White noise: equal power at all frequencies.
struct White: NoiseColour {
  init(at rate: SampleRate) {}

  @inline(__always) func filter(_ white: SIMD2<Double>) -> SIMD2<Double> { white }
}

/// Pink noise: falls by 3 dB per octave. It approximates this by a chain of filters, one for every two octaves from 10
/// Hz on, each of which falls by 6 dB within one octave.
struct Pink: NoiseColour {
  private var steps: InlineArray<7, OnePoleFilter>

  init(at rate: SampleRate) {
    steps = InlineArray { index in
      let corner = 10 * Double(1 << (2 * index))
      return OnePoleFilter.step(from: corner, to: 2 * corner, at: rate)
    }
  }

  @inline(__always) mutating func filter(_ white: SIMD2<Double>) -> SIMD2<Double> {
    var y = white
    for index in steps.indices { y = steps[index].filter(y) }
    return y
  }
}

/// Brown noise: falls by 6 dB per octave above 40 Hz, and below 20 Hz, where it would be inaudible.
struct Brown: NoiseColour {
  private var fall: OnePoleFilter
  private var floor: OnePoleFilter

  init(at rate: SampleRate) {
    fall = .lowpass(40, at: rate)
    floor = .highpass(20, at: rate)
  }

  @inline(__always) mutating func filter(_ white: SIMD2<Double>) -> SIMD2<Double> { floor.filter(fall.filter(white)) }
}
