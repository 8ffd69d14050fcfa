import Signal

/// A tone in even pulses with soft edges, the same in both ears.
struct Isochronic: Generator {
  let blockLength = PlanarBuffer.frames
  let envelope: Envelope
  private let carrier: Frequency
  /// The pulse rate.
  private let beat: Frequency

  init(_ recipe: ResolvedRecipe) {
    envelope = .endless(at: recipe.rate)
    carrier = .carrier(of: recipe)
    beat = .beat(of: recipe)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let level = amplitude(decibels: -16)
    PlanarBuffer.fill(block) { buffer in
      let step = carrier.perFrame(from: start, over: blockLength)
      Partial(phase: carrier.cycles(at: start), step: step, left: level, right: level).add(to: buffer)
    }
    let first = beat.cycles(at: start)
    let perFrame = beat.perFrame(from: start, over: blockLength)
    for index in block.indices {
      block[index] = block[index] * Float(Self.pulse(first + perFrame * Double(Int32(index))))
    }
  }

  /// The level at a phase in cycles: it rises from 0 to 1 in the first eighth of a cycle, and falls in the eighth after
  /// the middle.
  private static func pulse(_ cycles: Double) -> Double {
    let phase = cycles - cycles.rounded(.down)
    return phase < 0.5 ? smoothStep(8 * phase) : 1 - smoothStep(8 * (phase - 0.5))
  }
}
