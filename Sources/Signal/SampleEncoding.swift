/// How a sample is written as bytes, little-endian.
public enum SampleEncoding: String, CaseIterable, Hashable, Sendable {
  case s16, s24, f32

  public var bytesPerSample: Int {
    switch self {
    case .s16: 2
    case .s24: 3
    case .f32: 4
    }
  }

  /// Of both channels together.
  public var bytesPerFrame: Int { 2 * bytesPerSample }

  /// Writes the frames, left before right, to the beginning of `bytes`.
  ///
  /// Whole numbers are the nearest to sample · 32768 or · 8388608, halves to the even one, and stop at full scale: what
  /// came from whole numbers of that width goes back to the same bits. What is not a number becomes silence; floats are
  /// written as they are.
  ///
  /// - Precondition: `bytes` has room for `frames.count * bytesPerFrame`.
  package func encode(_ frames: UnsafeBufferPointer<Frame>, into bytes: UnsafeMutableRawBufferPointer) {
    precondition(bytes.count >= frames.count * bytesPerFrame, "no room for \(frames.count) frames")
    switch self {
    case .s16: encodeAsInt16(frames, into: bytes)
    case .s24: encodeAsInt24(frames, into: bytes)
    case .f32: bytes.copyMemory(from: UnsafeRawBufferPointer(frames))
    }
  }

  private func encodeAsInt16(_ frames: UnsafeBufferPointer<Frame>, into bytes: UnsafeMutableRawBufferPointer) {
    var offset = 0
    for frame in frames {
      bytes.storeBytes(of: Int16(quantised(frame.left, 32_768)).littleEndian, toByteOffset: offset, as: Int16.self)
      bytes.storeBytes(of: Int16(quantised(frame.right, 32_768)).littleEndian, toByteOffset: offset + 2, as: Int16.self)
      offset += 4
    }
  }

  private func encodeAsInt24(_ frames: UnsafeBufferPointer<Frame>, into bytes: UnsafeMutableRawBufferPointer) {
    var offset = 0
    for frame in frames {
      store(quantised(frame.left, 8_388_608), in: bytes, at: offset)
      store(quantised(frame.right, 8_388_608), in: bytes, at: offset + 3)
      offset += 6
    }
  }

  private func store(_ value: Int32, in bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    bytes[offset] = UInt8(truncatingIfNeeded: value)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    bytes[offset + 2] = UInt8(truncatingIfNeeded: value >> 16)
  }
}

/// The nearest whole number to `sample * scale` in −scale…scale − 1. Both bounds are exact as floats up to 24 bits.
private func quantised(_ sample: Float, _ scale: Float) -> Int32 {
  let scaled = (sample * scale).rounded(.toNearestOrEven)
  guard scaled == scaled else { return 0 }
  return Int32(max(-scale, min(scaled, scale - 1)))
}
