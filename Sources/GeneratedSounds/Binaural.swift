import Signal

/// A tone of a slightly different frequency in each ear: carrier − beat/2 on the left, carrier + beat/2 on the right.
struct Binaural: Generator {
  let blockLength = PlanarBuffer.frames
  let envelope: Envelope
  private let carrier: Frequency
  /// The difference of the two frequencies.
  private let beat: Frequency
  /// The amplitude of each tone.
  private let level: Double

  init(_ recipe: ResolvedRecipe) {
    envelope = .endless(at: recipe.rate)
    carrier = .carrier(of: recipe)
    beat = .beat(of: recipe)
    level = amplitude(decibels: recipe["level"])
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    PlanarBuffer.fill(block) { buffer in
      tone(-0.5, at: start, left: level, right: 0).add(to: buffer)
      tone(0.5, at: start, left: 0, right: level).add(to: buffer)
    }
  }

  /// The tone at the carrier plus `share` of the beat. Its frequency is constant within a block.
  private func tone(_ share: Double, at start: FrameTime, left: Double, right: Double) -> Partial {
    Partial(
      phase: carrier.cycles(at: start) + share * beat.cycles(at: start),
      step: carrier.perFrame(from: start, over: blockLength) + share * beat.perFrame(from: start, over: blockLength),
      left: left, right: right)
  }
}
