import Signal

/// The noise of the mallet at a strike. It lasts a few milliseconds, and has less treble for a softer strike.
struct StrikeNoise: Sendable {
  /// The whole noise, computed once.
  private let frames: [Frame]

  /// - Parameters:
  ///   - level: amplitude of the unfiltered noise at its beginning.
  ///   - decay: seconds in which it falls to 1/e.
  ///   - brightness: the corner in hertz above which the spectrum falls.
  init(level: Double, decay: Double, brightness: Double, random: IndexedRandom, rate: SampleRate) {
    let perFrame = exponential(-1 / (decay * Double(rate.hertz)))
    var first = OnePoleFilter.lowpass(brightness, at: rate)
    var second = OnePoleFilter.lowpass(2 * brightness, at: rate)
    var envelope = level
    frames = (0..<rate.frames(12 * decay)).map { index in
      let noise = second.filter(first.filter(random.stereo(index))) * envelope
      envelope *= perFrame
      return Frame(left: Float(noise.x), right: Float(noise.y))
    }
  }

  /// Adds the noise to the block that begins at frame `start`.
  func add(to block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    guard start < frames.count else { return }
    let first = Int(start)
    for index in 0..<min(block.count, frames.count - first) {
      block[index] = block[index] + frames[first + index]
    }
  }
}
