import Signal

/// Rounds samples to whole steps, saturating. No dither is added: what came from integers goes back to the same integers.
enum Quantising {
  static let scale16: Float = 32_768
  static let scale24: Float = 8_388_608

  /// One and a half times 2²³, and 2⁵²: in a sum with it, the lowest bit of the significand is worth one step. The addition
  /// itself rounds, to the nearest and halves to even, and the steps are the sum's low bits: a loop without one call or branch.
  private static let magic16: Float = 12_582_912
  private static let magic24: Double = 6_755_399_441_055_744

  static func to16(_ samples: UnsafeBufferPointer<Float>, _ steps: inout [Int16]) {
    steps.replace(count: samples.count) { target in
      for index in 0..<samples.count {
        let sum = bounded(samples[index], scale16) + magic16
        target[index] = Int16(truncatingIfNeeded: sum.bitPattern)
      }
    }
  }

  /// 24-bit steps in the upper bits of 32, as libsndfile takes them.
  static func to24(_ samples: UnsafeBufferPointer<Float>, _ steps: inout [Int32]) {
    steps.replace(count: samples.count) { target in
      for index in 0..<samples.count {
        let sum = Double(bounded(samples[index], scale24)) + magic24
        target[index] = Int32(truncatingIfNeeded: sum.bitPattern) << 8
      }
    }
  }

  /// A sample in steps, within the format's range; one that is no number is silence.
  @inline(__always) private static func bounded(_ sample: Float, _ scale: Float) -> Float {
    let value = sample * scale
    return min(max(value == value ? value : 0, -scale), scale - 1)
  }
}

extension Array where Element: FixedWidthInteger {
  /// Keeps its storage from one block to the next.
  fileprivate mutating func replace(count: Int, _ fill: (UnsafeMutableBufferPointer<Element>) -> Void) {
    if self.count != count { self = Array(repeating: 0, count: count) }
    withUnsafeMutableBufferPointer { fill($0) }
  }
}
