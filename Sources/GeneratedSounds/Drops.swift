import Signal

/// Single drops of rain. Time is divided into slots of equal length, and each slot has one drop at a random time.
struct Drops: Sendable {
  /// The length of the longest drop in seconds.
  private static let longest = 0.06

  private let random: IndexedRandom
  /// The length of a slot in seconds.
  private let slot: Double
  private let rate: SampleRate

  /// - Parameter density: drops per second.
  init(density: Double, seed: UInt64, rate: SampleRate) {
    random = IndexedRandom(seed: seed, stream: 6)
    slot = 1 / density
    self.rate = rate
  }

  /// Adds all drops that are audible within the block. `start` is the block's first frame.
  func add(to block: UnsafeMutableBufferPointer<Frame>, at start: FrameTime) {
    let end = start &+ FrameTime(block.count)
    let first = Int64(((rate.seconds(start) - Self.longest) / slot).rounded(.down)) - 1
    let last = Int64((rate.seconds(end) / slot).rounded(.down))
    guard first <= last else { return }
    for index in first...last where 0 <= index { drop(index).add(to: block, at: start) }
  }

  /// The drop of a slot; all its properties are functions of the slot's index.
  private func drop(_ index: Int64) -> Drop {
    let base = 8 &* index
    let size = random.unit(base)
    // A few drops are near and loud, most are far and faint; smaller ones have a higher pitch.
    let nearness = random.unit(base &+ 1)
    let level = 0.008 + 0.15 * nearness * nearness * nearness * nearness
    let pitch = 900 + 6_600 * size * size
    let pan = random.value(base &+ 2, in: 0.15...0.85)
    return Drop(
      start: rate.frames((Double(index) + random.unit(base &+ 3)) * slot),
      step: min(pitch / Double(rate.hertz), 0.4),
      decay: random.value(base &+ 4, in: 0.0012...0.0055) * Double(rate.hertz),
      rise: 0.0004 * Double(rate.hertz),
      left: level * (1 - pan).squareRoot(), right: level * pan.squareRoot())
  }
}

/// One drop: a short, high sine, like that of a bubble.
private struct Drop {
  /// Its first frame.
  var start: FrameTime
  /// The frequency in cycles per frame.
  var step: Double
  /// Frames in which the level falls to 1/e.
  var decay: Double
  /// Frames in which the missing part of the level falls to 1/e at the beginning.
  var rise: Double
  /// The levels in the two channels.
  var left: Double
  var right: Double

  /// Adds the part of the drop that is within a block. The sine is the imaginary part of a complex number that is
  /// rotated and scaled by the same factor for each frame.
  func add(to block: UnsafeMutableBufferPointer<Frame>, at blockStart: FrameTime) {
    let length = FrameCount(11 * decay)
    let from = max(start, blockStart)
    let to = min(start &+ length, blockStart &+ FrameTime(block.count))
    guard from < to else { return }
    let age = Double(from &- start)
    let fall = exponential(-1 / decay)
    let (stepRe, stepIm) = (fall * cosine(cycles: step), fall * sine(cycles: step))
    let level = exponential(-age / decay)
    var (re, im) = (level * cosine(cycles: step * age), level * sine(cycles: step * age))
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
