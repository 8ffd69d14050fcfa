import Signal

/// A low chord of harmonics. The level and the phase of each harmonic change slowly and independently, so the sound
/// never repeats.
struct Drone: Generator {
  let blockLength = PlanarBuffer.frames
  let envelope: Envelope
  private let voices: [DroneVoice]
  private let rate: SampleRate

  init(_ recipe: ResolvedRecipe) {
    envelope = .endless(at: recipe.rate)
    rate = recipe.rate
    voices = DroneVoice.all(recipe)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let from = rate.seconds(start)
    let to = rate.seconds(start &+ FrameTime(blockLength))
    PlanarBuffer.fill(block) { buffer in
      for voice in voices { voice.partial(from: from, to: to, frames: blockLength).add(to: buffer) }
    }
  }
}
