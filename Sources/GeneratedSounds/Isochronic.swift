import Signal

/// A tone in even pulses with soft edges, the same in both ears.
struct Isochronic: Generator {
  let blockLength = PlanarBuffer.frames
  let edges: Edges
  /// Turns per frame.
  private let carrier: Double
  /// The pulse rate.
  private let beat: Glide

  init(_ choice: Choice) {
    edges = .endless(at: choice.rate)
    carrier = choice["carrier"] / Double(choice.rate.hertz)
    beat = .beat(of: choice)
  }

  func fill(_ block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let level = amplitude(decibels: -16)
    PlanarBuffer.fill(block) { planes in
      Partial(phase: carrier * Double(start), step: carrier, left: level, right: level).add(to: planes)
    }
    let first = beat.cycles(at: start)
    let perFrame = (beat.cycles(at: start &+ FrameTime(blockLength)) - first) / Double(blockLength)
    for index in block.indices {
      block[index] = block[index] * Float(Self.pulse(first + perFrame * Double(Int32(index))))
    }
  }

  /// The level at a number of pulses: rises from 0 to 1 in the first eighth of a pulse, falls in the eighth after its
  /// half.
  private static func pulse(_ cycles: Double) -> Double {
    let phase = cycles - cycles.rounded(.down)
    return phase < 0.5 ? smoothStep(8 * phase) : 1 - smoothStep(8 * (phase - 0.5))
  }
}
