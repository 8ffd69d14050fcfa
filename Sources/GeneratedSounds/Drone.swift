import Signal

/// A low chord of harmonics. The level and the frequency of each change slowly and independently, so the sound never
/// repeats.
struct Drone: Generator {
  let blockLength = PlanarBuffer.frames
  let edges: Edges
  private let voices: [DroneVoice]
  private let rate: SampleRate

  init(_ choice: Choice) {
    edges = .endless(at: choice.rate)
    rate = choice.rate
    voices = DroneVoice.all(choice)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let from = rate.seconds(start)
    let to = rate.seconds(start &+ FrameTime(blockLength))
    PlanarBuffer.fill(block) { planes in
      for voice in voices { voice.partial(from: from, to: to, frames: blockLength).add(to: planes) }
    }
  }
}
