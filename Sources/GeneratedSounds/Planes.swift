import Signal

/// The two channels of a block of tones, apart from each other and four frames wide, so that sines are added fast.
struct Planes {
  /// Frames in a block of tones.
  static let frames = 512

  let left: UnsafeMutableBufferPointer<SIMD4<Double>>
  let right: UnsafeMutableBufferPointer<SIMD4<Double>>

  /// Lends silent planes to `draw` and writes what it drew into `block`, which has `Planes.frames` frames.
  static func fill(_ block: UnsafeMutableBufferPointer<Frame>, _ draw: (Planes) -> Void) {
    let width = frames / 4
    withUnsafeTemporaryAllocation(of: SIMD4<Double>.self, capacity: 2 * width) { store in
      store.initialize(repeating: .zero)
      let planes = Planes(
        left: UnsafeMutableBufferPointer(rebasing: store[..<width]),
        right: UnsafeMutableBufferPointer(rebasing: store[width...]))
      draw(planes)
      planes.write(into: block)
    }
  }

  private func write(into block: UnsafeMutableBufferPointer<Frame>) {
    for index in left.indices {
      let (lefts, rights) = (SIMD4<Float>(left[index]), SIMD4<Float>(right[index]))
      for lane in 0..<4 {
        block[4 * index + lane] = Frame(left: lefts[lane], right: rights[lane])
      }
    }
  }
}
