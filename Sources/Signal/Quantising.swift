/// Rounds samples to integers: to the nearest step, ties to even, clipped at full scale. NaN becomes silence.
///
/// No dither is added, so samples that were decoded from integers of the same width are encoded to the same integers.
/// The functions compile to code without calls or branches, so that loops over them are vectorised.
package enum Quantising {
  private static let scale16: Float = 32_768
  private static let scale24: Float = 8_388_608

  /// 1.5 × 2²³ and 1.5 × 2⁵². In a sum with such a constant, the lowest bit of the significand is worth one step. The
  /// addition therefore rounds to nearest, ties to even, and leaves the integer in the low bits of the sum.
  private static let rounding16: Float = 12_582_912
  private static let rounding24: Double = 6_755_399_441_055_744

  /// Converts samples to 16-bit integers.
  ///
  /// - Precondition: `steps` is as long as `samples`.
  package static func to16(_ samples: UnsafeBufferPointer<Float>, _ steps: UnsafeMutableBufferPointer<Int16>) {
    precondition(steps.count == samples.count, "\(samples.count) samples make as many steps, not \(steps.count)")
    for index in 0..<samples.count { steps[index] = step16(samples[index]) }
  }

  /// Converts samples to 24-bit integers in the upper bits of 32.
  ///
  /// - Precondition: `steps` is as long as `samples`.
  package static func to24(_ samples: UnsafeBufferPointer<Float>, _ steps: UnsafeMutableBufferPointer<Int32>) {
    precondition(steps.count == samples.count, "\(samples.count) samples make as many steps, not \(steps.count)")
    for index in 0..<samples.count { steps[index] = step24(samples[index]) << 8 }
  }

  /// One sample as an integer in −32,768…32,767.
  @inline(__always) static func step16(_ sample: Float) -> Int16 {
    Int16(truncatingIfNeeded: (bounded(sample, scale16) + rounding16).bitPattern)
  }

  /// One sample as an integer in −8,388,608…8,388,607.
  @inline(__always) static func step24(_ sample: Float) -> Int32 {
    Int32(truncatingIfNeeded: (Double(bounded(sample, scale24)) + rounding24).bitPattern)
  }

  /// A sample in steps, limited to the format's range. Both bounds are exact as floats; NaN becomes 0.
  @inline(__always) private static func bounded(_ sample: Float, _ scale: Float) -> Float {
    let value = sample * scale
    return min(max(value == value ? value : 0, -scale), scale - 1)
  }
}
