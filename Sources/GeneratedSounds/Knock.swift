import Signal

/// The noise of the mallet itself: a few milliseconds, duller the softer the strike.
struct Knock: Sendable {
  private let frames: [Frame]

  /// - Parameter brightness: the corner in hertz above which the noise falls.
  init(level: Double, decay: Double, brightness: Double, chance: Chance, rate: SampleRate) {
    let perFrame = exponential(-1 / (decay * Double(rate.hertz)))
    var first = Section.lowpass(brightness, at: rate)
    var second = Section.lowpass(2 * brightness, at: rate)
    var envelope = level
    frames = (0..<rate.frames(12 * decay)).map { index in
      let noise = second.filter(first.filter(chance.stereo(index))) * envelope
      envelope *= perFrame
      return Frame(left: Float(noise.x), right: Float(noise.y))
    }
  }

  func add(to block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    guard start < frames.count else { return }
    let first = Int(start)
    for index in 0..<min(block.count, frames.count - first) {
      block[index] = block[index] + frames[first + index]
    }
  }
}
