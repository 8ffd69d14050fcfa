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

  /// Writes the frames, left before right, to the beginning of `bytes`: whole numbers as `Quantising` rounds them, floats
  /// as they are.
  ///
  /// - Precondition: `bytes` has room for `frames.count * bytesPerFrame`.
  package func encode(_ frames: UnsafeBufferPointer<Frame>, into bytes: UnsafeMutableRawBufferPointer) {
    frames.withMemoryRebound(to: Float.self) { encode(interleaved: $0, into: bytes) }
  }

  /// The same of samples that stand left before right already.
  ///
  /// - Precondition: `bytes` has room for `samples.count * bytesPerSample`.
  package func encode(interleaved samples: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer) {
    precondition(samples.count * bytesPerSample <= bytes.count, "no room for \(samples.count) samples")
    switch self {
    case .s16: encodeAsInt16(samples, into: bytes)
    case .s24: encodeAsInt24(samples, into: bytes)
    case .f32: bytes.copyMemory(from: UnsafeRawBufferPointer(samples))
    }
  }

  private func encodeAsInt16(_ samples: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer) {
    for index in 0..<samples.count {
      let step = Quantising.step16(samples[index])
      bytes.storeBytes(of: step.littleEndian, toByteOffset: 2 * index, as: Int16.self)
    }
  }

  private func encodeAsInt24(_ samples: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer) {
    for index in 0..<samples.count {
      let step = Quantising.step24(samples[index])
      bytes[3 * index] = UInt8(truncatingIfNeeded: step)
      bytes[3 * index + 1] = UInt8(truncatingIfNeeded: step >> 8)
      bytes[3 * index + 2] = UInt8(truncatingIfNeeded: step >> 16)
    }
  }
}
