import Signal

/// A body that is struck once and rings out: a sum of decaying sines, and the noise of the strike.
struct StruckSound: Generator {
  let blockLength = PlanarBuffer.frames
  let edges: Edges
  private let ringing: [Ringing]
  private let strikeNoise: StrikeNoise
  /// Brings the loudest frame to −3.2 dBFS.
  private var gain: Float = 1

  init(_ instrument: Instrument, _ choice: Choice) {
    let (rate, strike) = (choice.rate, choice["strike"])
    let length = rate.frames(instrument.length(decay: choice["decay"]))
    edges = Edges(length: length, rise: rate.frames(0.002 - 0.001 * strike), fall: rate.frames(0.01))
    let chance = IndexedRandom(seed: choice.seed, stream: 1)
    ringing = instrument.modes.enumerated().flatMap { index, mode in
      // Two strikes never sound exactly alike: the seed varies the levels of the modes.
      let level = mode.level * chance.value(Int64(index), in: 0.85...1.15)
      return Ringing.all(of: mode, level: level * Self.excitation(of: mode, by: strike), choice)
    }
    strikeNoise = StrikeNoise(
      level: instrument.strikeNoise * (0.3 + 0.7 * strike), decay: instrument.strikeDecay,
      brightness: 500 + 7_500 * strike * strike, chance: IndexedRandom(seed: choice.seed, stream: 2), rate: rate)
    gain = Float(amplitude(decibels: -3.2)) / loudestFrame(within: rate.frames(0.6))
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    PlanarBuffer.fill(block) { planes in
      for sine in ringing { sine.add(to: planes, at: start) }
    }
    strikeNoise.add(to: block, at: start)
    for index in block.indices { block[index] = block[index] * gain }
  }

  /// How strongly a strike excites a mode. A soft mallet touches the body for longer than a period of a high mode, and
  /// so can't excite it.
  private static func excitation(of mode: Mode, by strike: Double) -> Double {
    let reach = mode.ratio / (1.3 + 14 * strike * strike)
    return 1 / (1 + reach * reach)
  }

  /// The peak of the sound's beginning, where it is loudest. `gain` is still 1.
  private func loudestFrame(within frames: FrameCount) -> Float {
    withUnsafeTemporaryAllocation(of: Frame.self, capacity: blockLength) { block in
      block.initialize(repeating: .silence)
      var peak: Float = 1e-6
      for start in stride(from: 0, to: min(frames, edges.length), by: blockLength) {
        fill(block, at: start)
        edges.shape(block, at: start)
        peak = block.reduce(peak) { max($0, $1.peak) }
      }
      return peak
    }
  }
}
