import Signal

/// A tone in even pulses with soft edges, the same in both ears.
struct Isochronic: Generator {
  let blockLength = PlanarBuffer.frames
  let envelope: Envelope
  /// The frequency in cycles per frame.
  private let carrier: Double
  /// The pulse rate.
  private let beat: Glide

  init(_ recipe: ResolvedRecipe) {
    envelope = .endless(at: recipe.rate)
    carrier = recipe["carrier"] / Double(recipe.rate.hertz)
    beat = .beat(of: recipe)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let level = amplitude(decibels: -16)
    PlanarBuffer.fill(block) { buffer in
      Partial(phase: carrier * Double(start), step: carrier, left: level, right: level).add(to: buffer)
    }
    let first = beat.cycles(at: start)
    let perFrame = (beat.cycles(at: start &+ FrameTime(blockLength)) - first) / Double(blockLength)
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
