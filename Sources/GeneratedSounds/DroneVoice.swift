import Signal

/// One harmonic of a drone, on one side of the stereo image.
struct DroneVoice: Sendable {
  /// In hertz.
  private let frequency: Double
  /// The levels in the two channels, before `swell`.
  private let left: Double
  private let right: Double
  /// How much level and phase change: 0 not at all, 1 most.
  private let movement: Double
  /// The random curve of the level.
  private let levelCurve: IndexedRandom
  /// The random curve of the phase.
  private let phaseCurve: IndexedRandom
  /// The phase at frame 0, in cycles.
  private let phase: Double
  /// Seconds between two random values of the level.
  private let period: Double

  /// All voices of a drone: the octave below the root, the root, the fifth and harmonics, each once per side.
  static func all(_ recipe: ResolvedRecipe) -> [DroneVoice] {
    let ratios = [0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12]
    // Harmonics near half of the sample rate would alias, so they are omitted.
    let ceiling = 0.45 * Double(recipe.rate.hertz) / recipe["pitch"]
    let levels = ratios.map { ratio in ratio < ceiling ? level(of: ratio, brightness: recipe["brightness"]) : 0 }
    // Each harmonic has two voices, one per side; the other side gets 0.35 of its level.
    let power = levels.reduce(0) { $0 + $1 * $1 * (1 + 0.35 * 0.35) / 2 }
    let gain = amplitude(decibels: -23) / power.squareRoot()
    return zip(ratios, levels).enumerated().flatMap { index, harmonic in
      [false, true].map { isRight in
        DroneVoice(harmonic.0, gain * harmonic.1, isRight: isRight, index: 2 * index + (isRight ? 1 : 0), recipe)
      }
    }
  }

  /// The level of a harmonic at `ratio` times the pitch: falls with its frequency, more slowly the higher the
  /// brightness.
  private static func level(of ratio: Double, brightness: Double) -> Double {
    let reach = ratio / (1.2 + 5 * brightness)
    return (ratio == 1.5 ? 0.35 : 1) / (ratio.squareRoot() * (1 + reach * reach))
  }

  private init(_ ratio: Double, _ level: Double, isRight: Bool, index: Int, _ recipe: ResolvedRecipe) {
    let own = IndexedRandom(seed: recipe.seed, stream: UInt64(16 + 4 * index))
    frequency = recipe["pitch"] * ratio
    left = isRight ? 0.35 * level : level
    right = isRight ? level : 0.35 * level
    movement = recipe["movement"]
    levelCurve = IndexedRandom(seed: recipe.seed, stream: UInt64(17 + 4 * index))
    phaseCurve = IndexedRandom(seed: recipe.seed, stream: UInt64(18 + 4 * index))
    phase = own.unit(0)
    period = own.value(1, in: 5...13)
  }

  /// The voice between two times in seconds as a sine of constant frequency, for a block of `frames` frames.
  func partial(from: Double, to: Double, frames: Int) -> Partial {
    let count = Double(frames)
    let (first, last) = (cycles(at: from), cycles(at: to))
    let (loud, louder) = (swell(at: from), swell(at: to))
    return Partial(
      phase: first, step: (last - first) / count, left: left * loud, right: right * loud,
      leftSlope: left * (louder - loud) / count, rightSlope: right * (louder - loud) / count)
  }

  /// The phase of the sine at a time in seconds, in cycles.
  private func cycles(at time: Double) -> Double {
    frequency * time + phase + 0.7 * movement * phaseCurve.drift(time / (1.3 * period))
  }

  /// The factor for the level at a time in seconds.
  private func swell(at time: Double) -> Double { 1 + 0.65 * movement * levelCurve.drift(time / period) }
}
