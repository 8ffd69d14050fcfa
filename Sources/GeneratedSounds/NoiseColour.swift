import Signal

/// What makes white noise into another noise: a filter that begins at rest.
protocol NoiseColour: Sendable {
  init(at rate: SampleRate)

  mutating func filter(_ white: SIMD2<Double>) -> SIMD2<Double>
}

extension NoiseColour {
  /// Seconds after which a filter has forgotten that it began at rest, to −140 dB.
  static var warmUp: Double { 0.25 }

  /// The factor that brings white noise of −1…1, once filtered, to a level.
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

  /// A filter that stands as if it had run up to the frame since for ever.
  static func warmedUp(to frame: FrameTime, on noise: Chance, at rate: SampleRate) -> Self {
    var filter = Self(at: rate)
    for index in (frame - rate.frames(warmUp))..<frame { _ = filter.filter(noise.stereo(index)) }
    return filter
  }
}

/// Every frequency alike.
struct White: NoiseColour {
  init(at rate: SampleRate) {}

  @inline(__always) func filter(_ white: SIMD2<Double>) -> SIMD2<Double> { white }
}

/// Falls by 3 dB an octave: every octave alike. Steps of 6 dB from 10 Hz on, each over one octave of two.
struct Pink: NoiseColour {
  private var steps: InlineArray<7, Section>

  init(at rate: SampleRate) {
    steps = InlineArray { index in
      let corner = 10 * Double(1 << (2 * index))
      return Section.step(from: corner, to: 2 * corner, at: rate)
    }
  }

  @inline(__always) mutating func filter(_ white: SIMD2<Double>) -> SIMD2<Double> {
    var y = white
    for index in steps.indices { y = steps[index].filter(y) }
    return y
  }
}

/// Falls by 6 dB an octave above 40 Hz, and below 20 Hz, where it could only be felt.
struct Brown: NoiseColour {
  private var fall: Section
  private var floor: Section

  init(at rate: SampleRate) {
    fall = .lowpass(40, at: rate)
    floor = .highpass(20, at: rate)
  }

  @inline(__always) mutating func filter(_ white: SIMD2<Double>) -> SIMD2<Double> { floor.filter(fall.filter(white)) }
}
