import Signal

/// A short sine tone, for countdowns.
struct Beep: Generator {
  let blockLength = PlanarBuffer.frames
  let envelope: Envelope
  /// The frequency in cycles per frame.
  private let step: Double

  init(_ recipe: ResolvedRecipe) {
    let rate = recipe.rate
    let length = rate.frames(recipe["length"])
    let fade = min(rate.frames(0.006), length / 3)
    envelope = Envelope(length: length, attack: fade, release: fade)
    step = recipe["pitch"] / Double(rate.hertz)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    PlanarBuffer.fill(block) { buffer in
      Partial(phase: step * Double(start), step: step, left: 0.5, right: 0.5).add(to: buffer)
    }
  }
}
