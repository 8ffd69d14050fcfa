import Signal

/// A sine that decays exponentially from frame 0 on.
struct DecayingSine: Sendable {
  /// The frequency in cycles per frame.
  private let step: Double
  /// The natural logarithm of the factor by which the level decays per frame.
  private let logDecay: Double
  /// The levels in the two channels at frame 0.
  private let left: Double
  private let right: Double
  /// The frame from which it is inaudible (−139 dB) and no longer computed.
  private let end: FrameTime

  /// The sines of a mode; none if its frequency is too high for the sample rate.
  static func all(of mode: Mode, level: Double, _ recipe: ResolvedRecipe) -> [DecayingSine] {
    let frequency = recipe["pitch"] * mode.ratio
    let seconds = mode.decay * recipe["decay"]
    guard frequency * (1 + mode.split) < 0.45 * Double(recipe.rate.hertz) else { return [] }
    guard 0 < mode.split else {
      return swelling(frequency, (level, level), (seconds, mode.bloom), recipe.rate)
    }
    // The two sines have different levels in the two channels, so the beats differ a little between the ears.
    let (low, high) = (frequency * (1 - mode.split / 2), frequency * (1 + mode.split / 2))
    return swelling(low, (0.6 * level, 0.45 * level), (seconds, mode.bloom), recipe.rate)
      + swelling(high, (0.4 * level, 0.55 * level), (seconds, mode.bloom), recipe.rate)
  }

  /// A mode that builds up is the sum of a full one and a negative one of the same frequency that decays faster.
  private static func swelling(
    _ frequency: Double, _ level: (left: Double, right: Double), _ time: (decay: Double, bloom: Double),
    _ rate: SampleRate
  ) -> [DecayingSine] {
    let whole = DecayingSine(frequency, level, decay: time.decay, rate)
    guard 0 < time.bloom else { return [whole] }
    let early = 1 / (1 / time.decay + 1 / time.bloom)
    return [whole, DecayingSine(frequency, (-level.left, -level.right), decay: early, rate)]
  }

  private init(_ frequency: Double, _ level: (left: Double, right: Double), decay: Double, _ rate: SampleRate) {
    step = frequency / Double(rate.hertz)
    logDecay = -1 / (decay * Double(rate.hertz))
    (left, right) = level
    end = rate.frames(16 * decay)
  }

  /// Adds the block that begins at frame `start`.
  func add(to buffer: PlanarBuffer, at start: FrameTime) {
    guard start < end else { return }
    let level = exponential(logDecay * Double(start))
    Partial(
      phase: step * Double(start), step: step, decay: exponential(logDecay), left: level * left, right: level * right
    ).add(to: buffer)
  }
}
