import Signal

/// Surf: waves that arrive every 8 to 14 seconds. Each is a rumble that grows, breaks and ends as foam.
struct Ocean: Generator {
  /// One second: each block runs the filters in for a quarter of a second, so short blocks would be slow.
  let blockLength: Int
  let edges: Edges
  private let noise: IndexedRandom
  private let waves: Waves
  /// The filters at rest.
  private let water: Water
  private let rate: SampleRate

  init(_ choice: Choice) {
    rate = choice.rate
    blockLength = rate.hertz
    edges = .endless(at: rate)
    noise = IndexedRandom(seed: choice.seed, stream: 7)
    waves = Waves(seed: choice.seed)
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

  /// The filters in the state that they have at `frame`; their input doesn't depend on the levels.
  private func warmedUp(to frame: FrameTime) -> Water {
    var water = water
    let still = Swell()
    for index in (frame - rate.frames(Pink.warmUp))..<frame { _ = water.mix(noise.stereo(index), still) }
    return water
  }
}

/// The sounds of moving water, filtered out of one noise. Each is a pair of a low-pass and a high-pass filter.
private struct Water: Sendable {
  private var rumble: (OnePoleFilter, OnePoleFilter)
  private var body: (OnePoleFilter, OnePoleFilter)
  private var foam: (OnePoleFilter, OnePoleFilter)
  private let levels: (rumble: Double, body: Double, foam: Double)

  init(at rate: SampleRate) {
    rumble = (.lowpass(70, at: rate), .highpass(25, at: rate))
    body = (.lowpass(420, at: rate), .highpass(60, at: rate))
    foam = (.lowpass(5_000, at: rate), .highpass(700, at: rate))
    // White noise has its power spread up to half the rate: at a higher rate, less of it is in the audible bands.
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
