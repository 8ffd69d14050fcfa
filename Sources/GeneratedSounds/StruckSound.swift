import Signal

/// A body that is struck once and rings out: a sum of decaying sines, and the noise of the strike.
struct StruckSound: Generator {
  let blockLength = PlanarBuffer.frames
  let envelope: Envelope
  private let sines: [DecayingSine]
  private let strikeNoise: StrikeNoise
  /// The factor that sets the peak to −3.2 dBFS.
  private var gain: Float = 1

  init(_ instrument: Instrument, _ recipe: ResolvedRecipe) {
    let (rate, strike) = (recipe.rate, recipe["strike"])
    let length = rate.frames(instrument.length(decay: recipe["decay"]))
    envelope = Envelope(length: length, attack: rate.frames(0.002 - 0.001 * strike), release: rate.frames(0.01))
    let random = IndexedRandom(seed: recipe.seed, stream: 1)
    sines = instrument.modes.enumerated().flatMap { index, mode in
      // The seed varies the levels of the modes a little, because two real strikes never sound exactly alike.
      let level = mode.level * random.value(Int64(index), in: 0.85...1.15)
      return DecayingSine.all(of: mode, level: level * Self.excitation(of: mode, by: strike), recipe)
    }
    strikeNoise = StrikeNoise(
      level: instrument.strikeNoise * (0.3 + 0.7 * strike), decay: instrument.strikeDecay,
      brightness: 500 + 7_500 * strike * strike, random: IndexedRandom(seed: recipe.seed, stream: 2), rate: rate)
    gain = Float(amplitude(decibels: -3.2)) / loudestFrame(within: rate.frames(0.6))
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    PlanarBuffer.fill(block) { buffer in
      for sine in sines { sine.add(to: buffer, at: start) }
    }
    strikeNoise.add(to: block, at: start)
    for index in block.indices { block[index] = block[index] * gain }
  }

  /// How strongly a strike excites a mode, 0…1. A soft mallet touches the body for longer than a period of a high mode,
  /// and therefore hardly excites it.
  private static func excitation(of mode: Mode, by strike: Double) -> Double {
    let reach = mode.ratio / (1.3 + 14 * strike * strike)
    return 1 / (1 + reach * reach)
  }

  /// The peak of the first `frames` frames, which contain the loudest one. Called while `gain` is still 1.
  private func loudestFrame(within frames: FrameCount) -> Float {
    withUnsafeTemporaryAllocation(of: Frame.self, capacity: blockLength) { block in
      block.initialize(repeating: .silence)
      var peak: Float = 1e-6
      for start in stride(from: 0, to: min(frames, envelope.length), by: blockLength) {
        fill(block, at: start)
        envelope.shape(block, at: start)
        peak = block.reduce(peak) { max($0, $1.peak) }
      }
      return peak
    }
  }
}
