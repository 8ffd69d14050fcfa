import Signal

/// A low chord of harmonics that breathe and wander, each on its own, and never come together twice.
struct Drone: Generator {
  let blockLength = Planes.frames
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
    Planes.fill(block) { planes in
      for voice in voices { voice.partial(from: from, to: to, frames: blockLength).add(to: planes) }
    }
  }
}
