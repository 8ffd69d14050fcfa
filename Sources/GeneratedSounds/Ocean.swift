import Signal

/// Surf, made of filtered noise: waves that break every 8 to 14 seconds, each with a low, a middle and a high part
/// whose levels change separately.
struct Ocean: Generator {
  /// One second. Before each block, the filters process a quarter of a second to reach their state, so short blocks
  /// would be slow.
  let blockLength: Int
  let envelope: Envelope
  private let noise: IndexedRandom
  private let waves: Waves
  /// The filters in their initial state.
  private let water: Water
  private let rate: SampleRate

  init(_ recipe: ResolvedRecipe) {
    rate = recipe.rate
    blockLength = rate.hertz
    envelope = .endless(at: rate)
    noise = IndexedRandom(seed: recipe.seed, stream: 7)
    waves = Waves(seed: recipe.seed)
    water = Water(at: rate)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    var colours = warmedUp(to: start)
    for first in stride(from: 0, to: block.count, by: Self.piece) {
      let time = start &+ FrameTime(first)
      var swell = waves.swell(at: rate.seconds(time))
      let slope = waves.swell(at: rate.seconds(time &+ FrameTime(Self.piece))).slope(from: swell, over: Self.piece)
      for index in first..<min(first + Self.piece, block.count) {
        let frame = colours.mix(noise.stereo(start &+ FrameTime(index)), swell)
        block[index] = Frame(left: Float(frame.x), right: Float(frame.y))
        swell += slope
      }
    }
  }

  /// Frames over which the levels change linearly.
  private static let piece = 400

  /// The filters in the state that they have at `frame`. Their input is the noise alone, so the levels don't matter.
  private func warmedUp(to frame: FrameTime) -> Water {
    var water = water
    let still = Swell()
    for index in (frame - rate.frames(Pink.warmUp))..<frame { _ = water.mix(noise.stereo(index), still) }
    return water
  }
}

/// The three parts of the sound of a wave. Each is the same noise after a low-pass and a high-pass filter.
private struct Water: Sendable {
  private var rumble: (OnePoleFilter, OnePoleFilter)
  private var body: (OnePoleFilter, OnePoleFilter)
  private var foam: (OnePoleFilter, OnePoleFilter)
  private let levels: (rumble: Double, body: Double, foam: Double)

  init(at rate: SampleRate) {
    rumble = (.lowpass(70, at: rate), .highpass(25, at: rate))
    body = (.lowpass(420, at: rate), .highpass(60, at: rate))
    foam = (.lowpass(5_000, at: rate), .highpass(700, at: rate))
    // The power of white noise is spread up to half of the sample rate. At a higher rate, less of it is in these bands.
    let density = (Double(rate.hertz) / 48_000).squareRoot()
    levels = (0.5 * density, 0.85 * density, 0.38 * density)
  }

  /// Filters one frame of white noise; `swell` has the levels of the three sounds.
  @inline(__always) mutating func mix(_ white: SIMD2<Double>, _ swell: Swell) -> SIMD2<Double> {
    let low = rumble.1.filter(rumble.0.filter(white)) * swell.rumble * levels.rumble
    let middle = body.1.filter(body.0.filter(white)) * swell.body * levels.body
    let high = foam.1.filter(foam.0.filter(white)) * swell.foam * levels.foam
    return low + middle + high
  }
}
