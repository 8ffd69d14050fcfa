/// Moments within a length of time that look random, are the same for the same seed on every machine, and keep a
/// distance from each other and from both ends.
struct RandomMoments {
  /// In order, in whole tenths of a second.
  let seconds: [Double]

  /// The largest distance that is kept, in seconds: the moments of a long sit may still come soon after each other.
  private static let distance = 60.0

  /// - Throws: if the moments would be less than a second apart.
  init(count: Int, within length: Double, seed: UInt64) throws(SitError) {
    // A quarter of the time keeps them apart; the rest is random.
    let gaps = Double(count) + 1
    let distance = min(Self.distance, (length / 4 / gaps * 10).rounded(.down) / 10)
    guard 0 < count, 1 <= distance, count <= SessionParser.Limit.cues / 2 else {
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

  /// 0 up to, but not including, 1.
  mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
