import Signal

/// A frequency that may change linearly from one value to another, integrated in closed form.
struct Glide: Sendable {
  /// Cycles per frame at the beginning.
  private let from: Double
  /// Cycles per frame after the change.
  private let to: Double
  /// Frames that the change takes; 0 for none.
  private let length: Double

  /// - Parameters:
  ///   - from: hertz at frame 0.
  ///   - to: hertz after `seconds`; ignored if that is 0.
  init(from: Double, to: Double, seconds: Double, at rate: SampleRate) {
    self.from = from / Double(rate.hertz)
    self.to = 0 < seconds ? to / Double(rate.hertz) : self.from
    length = seconds * Double(rate.hertz)
  }

  /// The number of cycles from frame 0 to `frame`.
  func cycles(at frame: FrameTime) -> Double {
    let n = Double(frame)
    guard 0 < length else { return from * n }
    let moved = min(n, length)
    return from * n + (to - from) * (moved * moved / (2 * length) + (n - moved))
  }
}

extension Glide {
  /// The beat of a generator with the settings `beat`, `beatTo` and `glide`.
  static func beat(of recipe: ResolvedRecipe) -> Glide {
    Glide(from: recipe["beat"], to: recipe["beatTo"], seconds: recipe["glide"], at: recipe.rate)
  }
}
