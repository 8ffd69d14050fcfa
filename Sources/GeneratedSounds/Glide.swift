import Signal

/// A frequency that may move evenly from one value to another, and the turns it has made: a closed form of the frame.
struct Glide: Sendable {
  private let from: Double
  private let to: Double
  /// Frames over which it moves.
  private let length: Double

  /// - Parameters:
  ///   - from: hertz at frame 0, `to` those after `seconds`; with 0 seconds it stays at `from`.
  init(from: Double, to: Double, seconds: Double, at rate: SampleRate) {
    self.from = from / Double(rate.hertz)
    self.to = 0 < seconds ? to / Double(rate.hertz) : self.from
    length = seconds * Double(rate.hertz)
  }

  /// Turns made before the frame.
  func turns(at frame: FrameTime) -> Double {
    let n = Double(frame)
    guard 0 < length else { return from * n }
    let moved = min(n, length)
    return from * n + (to - from) * (moved * moved / (2 * length) + (n - moved))
  }
}

extension Glide {
  /// The beat of a choice that has `beat`, `beatTo` and `glide`.
  static func beat(of choice: Choice) -> Glide {
    Glide(from: choice["beat"], to: choice["beatTo"], seconds: choice["glide"], at: choice.rate)
  }
}
