import Signal

/// The largest magnitude of some frames, and the sum of the squares of both channels.
struct BlockLevel {
  private(set) var peak: Float
  private(set) var energy: Float

  init(of frames: UnsafeBufferPointer<Frame>) {
    // Four frames at a time. The larger magnitude of two numbers has the larger bits without the sign; the functions of
    // SIMD for both would call one for each number.
    var (peaks, energies) = (SIMD8<UInt32>.zero, SIMD8<Float>.zero)
    let bytes = UnsafeRawBufferPointer(frames)
    let whole = frames.count / 4 * 4
    for index in stride(from: 0, to: whole, by: 4) {
      let samples = bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Frame>.stride, as: SIMD8<Float>.self)
      let magnitudes = unsafeBitCast(samples, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF
      peaks.replace(with: magnitudes, where: magnitudes .> peaks)
      energies += samples * samples
    }
    (peak, energy) = (Float(bitPattern: peaks.max()), energies.sum())
    for frame in frames[whole...] {
      peak = max(peak, abs(frame.left), abs(frame.right))
      energy += frame.left * frame.left + frame.right * frame.right
    }
  }
}
