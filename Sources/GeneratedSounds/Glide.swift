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

/// The frequency of a tone, integrated in closed form.
enum Frequency: Sendable {
  /// Cycles per frame.
  case constant(Double)
  case glide(Glide)
  /// Cycles per frame at each time.
  case course(Course)

  /// The beat of a generator: its points, or else the settings `beat`, `beatTo` and `glide`.
  static func beat(of recipe: ResolvedRecipe) -> Frequency {
    if let course = recipe.course(of: "beat", times: 1 / Double(recipe.rate.hertz)) { return .course(course) }
    return .glide(
      Glide(from: recipe["beat"], to: recipe["beatTo"], seconds: recipe["glide"], at: recipe.rate))
  }

  /// The carrier of a generator: its points, or else the setting `carrier`.
  static func carrier(of recipe: ResolvedRecipe) -> Frequency {
    if let course = recipe.course(of: "carrier", times: 1 / Double(recipe.rate.hertz)) { return .course(course) }
    return .constant(recipe["carrier"] / Double(recipe.rate.hertz))
  }

  /// The number of cycles from frame 0 to `frame`.
  func cycles(at frame: FrameTime) -> Double {
    switch self {
    case .constant(let frequency): frequency * Double(frame)
    case .glide(let glide): glide.cycles(at: frame)
    case .course(let course): course.integral(to: frame)
    }
  }

  /// The mean number of cycles per frame in the frames from `start` on.
  func perFrame(from start: FrameTime, over count: Int) -> Double {
    if case .constant(let frequency) = self { return frequency }
    return (cycles(at: start &+ FrameTime(count)) - cycles(at: start)) / Double(count)
  }
}
