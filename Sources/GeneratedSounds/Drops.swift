import Signal

/// Single drops, one in each slot of an even grid, at a random place in it.
struct Drops: Sendable {
  /// Seconds after which the longest drop is silent.
  private static let longest = 0.06

  private let chance: Chance
  /// Seconds.
  private let slot: Double
  private let rate: SampleRate

  /// - Parameter density: drops in a second.
  init(density: Double, seed: UInt64, rate: SampleRate) {
    chance = Chance(seed: seed, stream: 6)
    slot = 1 / density
    self.rate = rate
  }

  /// Adds the drops that sound anywhere in the block.
  func add(to block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let end = start &+ FrameTime(block.count)
    let first = Int64(((rate.seconds(start) - Self.longest) / slot).rounded(.down)) - 1
    let last = Int64((rate.seconds(end) / slot).rounded(.down))
    guard first <= last else { return }
    for index in first...last where 0 <= index { drop(index).add(to: block, at: start) }
  }

  private func drop(_ index: Int64) -> Drop {
    let base = 8 &* index
    let size = chance.unit(base)
    // Few are near and loud, most are far and faint; the small ones ring higher.
    let nearness = chance.unit(base &+ 1)
    let level = 0.008 + 0.15 * nearness * nearness * nearness * nearness
    let pitch = 900 + 6_600 * size * size
    let pan = chance.value(base &+ 2, in: 0.15...0.85)
    return Drop(
      start: rate.frames((Double(index) + chance.unit(base &+ 3)) * slot),
      step: min(pitch / Double(rate.hertz), 0.4),
      decay: chance.value(base &+ 4, in: 0.0012...0.0055) * Double(rate.hertz),
      rise: 0.0004 * Double(rate.hertz),
      left: level * (1 - pan).squareRoot(), right: level * pan.squareRoot())
  }
}

/// One drop: a bubble's short, high ring.
private struct Drop {
  var start: FrameTime
  /// Turns per frame.
  var step: Double
  /// Frames in which it falls to 1/e, and those in which it comes up.
  var decay: Double
  var rise: Double
  var left: Double
  var right: Double

  func add(to block: UnsafeMutableBufferPointer<Frame>, at blockStart: FrameTime) {
    let length = FrameCount(11 * decay)
    let from = max(start, blockStart)
    let to = min(start &+ length, blockStart &+ FrameTime(block.count))
    guard from < to else { return }
    let age = Double(from &- start)
    let fall = exponential(-1 / decay)
    let (stepRe, stepIm) = (fall * cosine(turns: step), fall * sine(turns: step))
    let level = exponential(-age / decay)
    var (re, im) = (level * cosine(turns: step * age), level * sine(turns: step * age))
    let riseFall = exponential(-1 / rise)
    var missing = exponential(-age / rise)
    for index in Int(from &- blockStart)..<Int(to &- blockStart) {
      let sound = im * (1 - missing)
      block[index] = block[index] + Frame(left: Float(sound * left), right: Float(sound * right))
      (re, im) = (re * stepRe - im * stepIm, re * stepIm + im * stepRe)
      missing *= riseFall
    }
  }
}
