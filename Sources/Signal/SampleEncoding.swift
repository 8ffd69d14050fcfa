/// How a sample is encoded as bytes: a signed integer of 16 or 24 bits, or a 32-bit float; always little-endian.
public enum SampleEncoding: String, CaseIterable, Hashable, Sendable {
  /// Signed integers of 16 bits.
  case s16
  /// Signed integers of 24 bits.
  case s24
  /// Floating-point numbers of 32 bits; full scale is ±1.
  case f32

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
    precondition(frames.count * bytesPerFrame <= bytes.count, "no room for \(frames.count) frames")
    frames.withMemoryRebound(to: Float.self) { samples in
      switch self {
      case .s16: encodeAsInt16(samples, into: bytes)
      case .s24: encodeAsInt24(samples, into: bytes)
      case .f32: bytes.copyMemory(from: UnsafeRawBufferPointer(samples))
      }
    }
  }

  /// Reads interleaved integers, and extends them to 32 bits. Not for `f32`, whose samples are not integers.
  ///
  /// - Precondition: `bytes` holds at least `samples.count` samples.
  package func decode(_ bytes: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int32>) {
    precondition(self != .f32, "floating-point samples are not integers")
    precondition(samples.count * bytesPerSample <= bytes.count, "fewer than \(samples.count) samples")
    for index in 0..<samples.count {
      if self == .s16 {
        samples[index] = Int32(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)))
      } else {
        let high = Int32(Int8(bitPattern: bytes[3 * index + 2]))
        samples[index] = high << 16 | Int32(bytes[3 * index + 1]) << 8 | Int32(bytes[3 * index])
      }
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
