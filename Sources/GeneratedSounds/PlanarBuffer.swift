import Signal

/// A block with separate channels, each as vectors of four frames, so that sines are added with SIMD instructions.
struct PlanarBuffer {
  /// Frames per block of the generators that use it.
  static let frames = 512

  let left: UnsafeMutableBufferPointer<SIMD4<Double>>
  let right: UnsafeMutableBufferPointer<SIMD4<Double>>

  /// Calls `draw` with a silent buffer, which is valid only during the call, and writes the result to `block`.
  ///
  /// - Precondition: `block` has `PlanarBuffer.frames` frames.
  static func fill(_ block: UnsafeMutableBufferPointer<Frame>, _ draw: (PlanarBuffer) -> Void) {
    let width = frames / 4
    withUnsafeTemporaryAllocation(of: SIMD4<Double>.self, capacity: 2 * width) { store in
      store.initialize(repeating: .zero)
      let buffer = PlanarBuffer(
        left: UnsafeMutableBufferPointer(rebasing: store[..<width]),
        right: UnsafeMutableBufferPointer(rebasing: store[width...]))
      draw(buffer)
      buffer.write(into: block)
    }
  }

  /// Interleaves the channels as single-precision frames.
  private func write(into block: UnsafeMutableBufferPointer<Frame>) {
    for index in left.indices {
      let (lefts, rights) = (SIMD4<Float>(left[index]), SIMD4<Float>(right[index]))
      for lane in 0..<4 {
        block[4 * index + lane] = Frame(left: lefts[lane], right: rights[lane])
      }
    }
  }
}
