import Signal

/// Steady noise of one colour, independent in the two channels.
struct Noise<Colour: NoiseColour>: Generator {
  /// One second. Before each block, the filter processes a quarter of a second to reach its state, so short blocks
  /// would be slow.
  let blockLength: Int
  let envelope: Envelope
  private let noise: IndexedRandom
  private let gain: Double
  private let rate: SampleRate

  /// - Parameter level: root mean square in dBFS.
  init(_ recipe: ResolvedRecipe, level: Double) {
    rate = recipe.rate
    blockLength = rate.hertz
    envelope = .endless(at: rate)
    noise = IndexedRandom(seed: recipe.seed, stream: 3)
    gain = Colour.gain(to: level, at: rate)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    var colour = Colour.warmedUp(to: start, on: noise, at: rate)
    for index in block.indices {
      let frame = colour.filter(noise.stereo(start &+ FrameTime(index))) * gain
      block[index] = Frame(left: Float(frame.x), right: Float(frame.y))
    }
  }
}
