import Signal

/// A tone of a slightly different frequency in each ear: carrier − beat/2 on the left, carrier + beat/2 on the right.
struct Binaural: Generator {
  let blockLength = PlanarBuffer.frames
  let envelope: Envelope
  /// The frequency in cycles per frame.
  private let carrier: Double
  /// The difference of the two frequencies.
  private let beat: Glide

  init(_ recipe: ResolvedRecipe) {
    envelope = .endless(at: recipe.rate)
    carrier = recipe["carrier"] / Double(recipe.rate.hertz)
    beat = .beat(of: recipe)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let level = amplitude(decibels: -20)
    PlanarBuffer.fill(block) { buffer in
      tone(-0.5, at: start, left: level, right: 0).add(to: buffer)
      tone(0.5, at: start, left: 0, right: level).add(to: buffer)
    }
  }

  /// The tone at the carrier plus `share` of the beat. Its frequency is constant within a block.
  private func tone(_ share: Double, at start: FrameTime, left: Double, right: Double) -> Partial {
    let first = beat.cycles(at: start)
    let perFrame = (beat.cycles(at: start &+ FrameTime(blockLength)) - first) / Double(blockLength)
    return Partial(
      phase: carrier * Double(start) + share * first, step: carrier + share * perFrame, left: left, right: right)
  }
}
