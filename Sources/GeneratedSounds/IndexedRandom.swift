/// Random numbers as a function of their index. Each can be computed without the ones before it, so a sound can be
/// opened at any frame.
struct IndexedRandom: Sendable {
  private let key: UInt64

  /// - Parameter stream: the number of a sequence. Different numbers give independent sequences for the same seed.
  init(seed: UInt64, stream: UInt64) {
    key = scrambled(seed &+ scrambled(stream &+ 1))
  }

  /// 64 random bits.
  @inline(__always) func bits(_ index: Int64) -> UInt64 {
    scrambled(key &+ UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// A number uniformly distributed over 0..<1.
  func unit(_ index: Int64) -> Double { Double(Int64(bits(index) >> 11)) * 0x1p-53 }

  /// A number uniformly distributed over the range.
  func value(_ index: Int64, in range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit(index) * (range.upperBound - range.lowerBound)
  }

  /// Two independent numbers uniformly distributed over −1..<1: one frame of white noise.
  @inline(__always) func stereo(_ index: Int64) -> SIMD2<Double> {
    let bits = bits(index)
    let left = Double(Int32(truncatingIfNeeded: bits))
    let right = Double(Int32(truncatingIfNeeded: bits >> 32))
    return SIMD2(left, right) * 0x1p-31
  }

  /// A smooth random curve within −1…1, with a new random value at each whole `time`.
  func drift(_ time: Double) -> Double {
    let whole = time.rounded(.down)
    let index = Int64(whole)
    let from = unit(index)
    return 2 * (from + (unit(index &+ 1) - from) * smoothStep(time - whole)) - 1
  }
}

/// The finaliser of SplitMix64: each bit of the result depends on every bit of `x`.
@inline(__always) private func scrambled(_ x: UInt64) -> UInt64 {
  var x = x
  x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
  x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
  return x ^ (x >> 31)
}
