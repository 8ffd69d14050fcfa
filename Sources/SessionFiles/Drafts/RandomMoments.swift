/// Random moments within a length of time, with a minimum distance from each other and from both ends. The same seed
/// gives the same moments on every machine.
struct RandomMoments {
  /// The moments in ascending order, in seconds, rounded down to tenths.
  let seconds: [Double]

  /// The largest minimum distance in seconds. With a larger one, the moments of a long sit would be predictable.
  private static let distance = 60.0

  /// - Throws: if the moments would be less than a second apart.
  init(count: Int, within length: Double, seed: UInt64) throws(SitError) {
    // The minimum distances take at most a quarter of the time. The rest is divided at random.
    let gaps = Double(count) + 1
    let distance = min(Self.distance, (length / 4 / gaps * 10).rounded(.down) / 10)
    guard 0 < count, 1 <= distance, count <= Session.Limit.cues / 2 else {
      throw .noRoom(bells: count, length)
    }
    var random = SplitMix(state: seed)
    let room = length - gaps * distance
    let sorted = (0..<count).map { _ in random.fraction() * room }.sorted()
    seconds = sorted.enumerated().map { index, moment in
      ((moment + Double(index + 1) * distance) * 10).rounded(.down) / 10
    }
  }
}

/// The generator SplitMix64: small, fast, and specified to the bit.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from 0 up to, but not including, 1.
  mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
