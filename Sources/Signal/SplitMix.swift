/// The generator SplitMix64: small, fast, and specified to the bit, so that a seed gives the same numbers on every machine.
package struct SplitMix: Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// The generator as it is after `index` numbers.
  package init(seed: UInt64, index: Int) { state = seed &+ UInt64(truncatingIfNeeded: index) &* Self.step }

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  package mutating func next() -> UInt64 {
    state &+= Self.step
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from 0 up to, but not including, 1.
  package mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
