import Signal

/// A sine that dies away from the strike on.
struct Ringing: Sendable {
  /// Turns per frame.
  private let step: Double
  /// Nepers per frame.
  private let fall: Double
  private let left: Double
  private let right: Double
  /// The frame from which it is below anything audible, and left out.
  private let end: FrameTime

  /// The sines of a mode; none when it lies above what the rate can carry.
  static func all(of mode: Mode, level: Double, _ choice: Choice) -> [Ringing] {
    let frequency = choice["pitch"] * mode.ratio
    let seconds = mode.decay * choice["decay"]
    guard frequency * (1 + mode.split) < 0.45 * Double(choice.rate.hertz) else { return [] }
    guard 0 < mode.split else {
      return swelling(frequency, (level, level), (seconds, mode.bloom), choice.rate)
    }
    // The two sines lean to either side: the beating wanders a little between the ears.
    let (low, high) = (frequency * (1 - mode.split / 2), frequency * (1 + mode.split / 2))
    return swelling(low, (0.6 * level, 0.45 * level), (seconds, mode.bloom), choice.rate)
      + swelling(high, (0.4 * level, 0.55 * level), (seconds, mode.bloom), choice.rate)
  }

  /// A mode that builds up is one that is there at once, less one of the same frequency that dies sooner.
  private static func swelling(
    _ frequency: Double, _ level: (left: Double, right: Double), _ time: (decay: Double, bloom: Double),
    _ rate: SampleRate
  ) -> [Ringing] {
    let whole = Ringing(frequency, level, decay: time.decay, rate)
    guard 0 < time.bloom else { return [whole] }
    let early = 1 / (1 / time.decay + 1 / time.bloom)
    return [whole, Ringing(frequency, (-level.left, -level.right), decay: early, rate)]
  }

  private init(_ frequency: Double, _ level: (left: Double, right: Double), decay: Double, _ rate: SampleRate) {
    step = frequency / Double(rate.hertz)
    fall = -1 / (decay * Double(rate.hertz))
    (left, right) = level
    end = rate.frames(16 * decay)
  }

  func add(to planes: Planes, at start: FrameTime) {
    guard start < end else { return }
    let level = exponential(fall * Double(start))
    Partial(
      phase: step * Double(start), step: step, fall: exponential(fall), left: level * left, right: level * right
    ).add(to: planes)
  }
}
