import Signal

/// Rain: the hiss of distant drops, whose level follows the wind, and single near drops.
struct Rain: Generator {
  /// One second. Before each block, the filter processes a quarter of a second to reach its state, so short blocks
  /// would be slow.
  let blockLength: Int
  let envelope: Envelope
  private let noise: IndexedRandom
  private let wind: IndexedRandom
  private let drops: Drops
  /// The factor for the mean level of the hiss.
  private let gain: Double
  private let rate: SampleRate

  init(_ recipe: ResolvedRecipe) {
    rate = recipe.rate
    blockLength = rate.hertz
    envelope = .endless(at: rate)
    noise = IndexedRandom(seed: recipe.seed, stream: 4)
    wind = IndexedRandom(seed: recipe.seed, stream: 5)
    drops = Drops(density: 40 + 260 * recipe["intensity"], seed: recipe.seed, rate: rate)
    gain = Hiss.gain(to: -27 + 4 * recipe["intensity"], at: rate)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    var hiss = Hiss.warmedUp(to: start, on: noise, at: rate)
    var level = gust(at: start)
    var slope = 0.0
    // The level is computed every 400 frames and changes linearly between them.
    for index in block.indices {
      if index % 400 == 0 {
        level = gust(at: start &+ FrameTime(index))
        slope = (gust(at: start &+ FrameTime(index) &+ 400) - level) / 400
      }
      let frame = hiss.filter(noise.stereo(start &+ FrameTime(index))) * level
      block[index] = Frame(left: Float(frame.x), right: Float(frame.y))
      level += slope
    }
    drops.add(to: block, at: start)
  }

  /// The level of the hiss at a frame.
  private func gust(at frame: FrameTime) -> Double {
    let time = rate.seconds(frame)
    return gain * (1 + 0.16 * wind.drift(time / 4.3) + 0.07 * wind.drift(time / 0.9 + 1e9))
  }
}

/// Many drops too distant to be heard one by one: strongest from 500 Hz to 5 kHz.
private struct Hiss: NoiseColour {
  private var floor: OnePoleFilter
  private var body: OnePoleFilter
  private var top: OnePoleFilter

  init(at rate: SampleRate) {
    floor = .highpass(220, at: rate)
    body = .step(from: 700, to: 1_400, at: rate)
    top = .lowpass(5_500, at: rate)
  }

  @inline(__always) mutating func filter(_ white: SIMD2<Double>) -> SIMD2<Double> {
    top.filter(body.filter(floor.filter(white)))
  }
}
