import Engine
import PulseAudio
import Signal

/// White noise from a seed, never silent, so that every frame can be identified.
func noise(_ count: Int, seed: UInt64 = 1) -> [Frame] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  func next() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(Int32(truncatingIfNeeded: state >> 33) | 1) / 0x1p32
  }
  return (0..<count).map { _ in Frame(left: next(), right: next()) }
}

extension Sink {
  /// Writes in blocks of 512 frames, as the render loop does.
  func play(_ frames: [Frame]) throws {
    try frames.withUnsafeBufferPointer { all in
      for start in stride(from: 0, to: all.count, by: 512) {
        try write(UnsafeBufferPointer(rebasing: all[start..<min(start + 512, all.count)]))
      }
    }
  }
}
