import Signal

/// A short sine tone, for countdowns.
struct Beep: Generator {
  let blockLength = PlanarBuffer.frames
  let edges: Edges
  /// Turns per frame.
  private let step: Double

  init(_ choice: Choice) {
    let rate = choice.rate
    let length = rate.frames(choice["length"])
    let edge = min(rate.frames(0.006), length / 3)
    edges = Edges(length: length, rise: edge, fall: edge)
    step = choice["pitch"] / Double(rate.hertz)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    PlanarBuffer.fill(block) { planes in
      Partial(phase: step * Double(start), step: step, left: 0.5, right: 0.5).add(to: planes)
    }
  }
}
