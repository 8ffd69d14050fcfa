import Signal

/// Rounds samples to whole steps, saturating. No dither is added: what came from integers goes back to the same integers.
enum Quantising {
  static let scale16: Float = 32_768
  static let scale24: Float = 8_388_608

  static func to16(_ samples: UnsafeBufferPointer<Float>, _ steps: inout [Int16]) {
    steps.replace(count: samples.count) { target in
      for index in 0..<samples.count { target[index] = Int16(step(samples[index], scale16)) }
    }
  }

  /// 24-bit steps in the upper bits of 32, as libsndfile takes them.
  static func to24(_ samples: UnsafeBufferPointer<Float>, _ steps: inout [Int32]) {
    steps.replace(count: samples.count) { target in
      for index in 0..<samples.count { target[index] = Int32(step(samples[index], scale24)) << 8 }
    }
  }

  /// A sample as a whole number of steps; one that is no number is silence.
  @inline(__always) private static func step(_ sample: Float, _ scale: Float) -> Float {
    let value = sample * scale
    let bounded = min(max(value == value ? value : 0, -scale), scale - 1)
    return bounded.rounded(.toNearestOrEven)
  }
}

extension Array where Element: FixedWidthInteger {
  /// Keeps its storage from one block to the next.
  fileprivate mutating func replace(count: Int, _ fill: (UnsafeMutableBufferPointer<Element>) -> Void) {
    if self.count != count { self = Array(repeating: 0, count: count) }
    withUnsafeMutableBufferPointer { fill($0) }
  }
}
