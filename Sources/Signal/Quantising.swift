/// Rounds samples to whole steps: the nearest one, halves to the even one, stopping at full scale, and what is not a
/// number becomes silence. No dither is added: what came from whole numbers of that width goes back to the same bits.
///
/// Not one call or branch stands in a loop over these.
package enum Quantising {
  private static let scale16: Float = 32_768
  private static let scale24: Float = 8_388_608

  /// One and a half times 2²³, and 2⁵²: in a sum with it, the lowest bit of the significand is worth one step. The addition
  /// itself rounds, to the nearest and halves to even, and the steps are the sum's low bits.
  private static let magic16: Float = 12_582_912
  private static let magic24: Double = 6_755_399_441_055_744

  /// Steps of 16 bits.
  ///
  /// - Precondition: `steps` is as long as `samples`.
  package static func to16(_ samples: UnsafeBufferPointer<Float>, _ steps: UnsafeMutableBufferPointer<Int16>) {
    precondition(steps.count == samples.count, "\(samples.count) samples make as many steps, not \(steps.count)")
    for index in 0..<samples.count { steps[index] = step16(samples[index]) }
  }

  /// 24-bit steps in the upper bits of 32.
  ///
  /// - Precondition: `steps` is as long as `samples`.
  package static func to24(_ samples: UnsafeBufferPointer<Float>, _ steps: UnsafeMutableBufferPointer<Int32>) {
    precondition(steps.count == samples.count, "\(samples.count) samples make as many steps, not \(steps.count)")
    for index in 0..<samples.count { steps[index] = step24(samples[index]) << 8 }
  }

  @inline(__always) static func step16(_ sample: Float) -> Int16 {
    Int16(truncatingIfNeeded: (bounded(sample, scale16) + magic16).bitPattern)
  }

  @inline(__always) static func step24(_ sample: Float) -> Int32 {
    Int32(truncatingIfNeeded: (Double(bounded(sample, scale24)) + magic24).bitPattern)
  }

  /// A sample in steps, within the format's range. Both bounds are exact as floats.
  @inline(__always) private static func bounded(_ sample: Float, _ scale: Float) -> Float {
    let value = sample * scale
    return min(max(value == value ? value : 0, -scale), scale - 1)
  }
}
