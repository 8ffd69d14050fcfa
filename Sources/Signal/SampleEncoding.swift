/// How a sample is encoded as bytes: a signed integer of 16 or 24 bits, or a 32-bit float; always little-endian.
public enum SampleEncoding: String, CaseIterable, Hashable, Sendable {
  case s16, s24, f32

  /// Bytes of one sample of one channel.
  public var bytesPerSample: Int {
    switch self {
    case .s16: 2
    case .s24: 3
    case .f32: 4
    }
  }

  /// Bytes of both channels of one frame.
  public var bytesPerFrame: Int { 2 * bytesPerSample }

  /// Writes the frames to the beginning of `bytes`, left before right. Integers are rounded by `Quantising`; floats are
  /// copied unchanged.
  ///
  /// - Precondition: `bytes` has room for `frames.count * bytesPerFrame`.
  package func encode(_ frames: UnsafeBufferPointer<Frame>, into bytes: UnsafeMutableRawBufferPointer) {
    frames.withMemoryRebound(to: Float.self) { encode(interleaved: $0, into: bytes) }
  }

  /// Writes samples that are already interleaved, left before right.
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
