import Signal
import Testing

@Suite struct SampleEncodingTests {
  func bytes(_ samples: [Float], _ encoding: SampleEncoding) -> [UInt8] {
    let frames = samples.map { Frame(left: $0, right: -$0) }
    var bytes = [UInt8](repeating: 0xAA, count: frames.count * encoding.bytesPerFrame)
    frames.withUnsafeBufferPointer { frames in bytes.withUnsafeMutableBytes { encoding.encode(frames, into: $0) } }
    return bytes
  }

  /// The left samples of the encoded bytes, as integers.
  func steps(_ samples: [Float], _ encoding: SampleEncoding) -> [Int] {
    let all = bytes(samples, encoding)
    return samples.indices.map { index in
      let sample = all[(index * encoding.bytesPerFrame)...].prefix(encoding.bytesPerSample)
      let word = sample.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      let unused = 32 - 8 * encoding.bytesPerSample
      return Int(Int32(bitPattern: word << unused) >> unused)
    }
  }

  @Test func `every 16-bit value is encoded as itself`() {
    let values = Array(Int16.min...Int16.max)
    #expect(steps(values.map { Float($0) / 32_768 }, .s16) == values.map { Int($0) })
    #expect(steps(values.map { Float($0) / 32_768 }, .s24) == values.map { Int($0) << 8 })
  }

  @Test func `24-bit values are encoded as themselves, in little-endian order`() {
    #expect(bytes([Float(0x123456) / 8_388_608], .s24) == [0x56, 0x34, 0x12, 0xAA, 0xCB, 0xED])
    #expect(bytes([-1], .s24) == [0, 0, 0x80, 0xFF, 0xFF, 0x7F])
  }

  @Test(arguments: [SampleEncoding.s16, .s24])
  func `samples halfway between two steps are rounded to the even step`(encoding: SampleEncoding) {
    let scale = Float(encoding.fullScale)
    let samples = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5].map { Float($0) / scale }
    #expect(steps(samples, encoding) == [-2, -2, 0, 0, 2, 2])
    #expect(steps([1.4999 / scale, 1.5001 / scale, -0.5001 / scale], encoding) == [1, 2, -1])
  }

  @Test(arguments: [SampleEncoding.s16, .s24])
  func `samples beyond full scale are clipped`(encoding: SampleEncoding) {
    let full = encoding.fullScale
    let samples = [1, 1.0001, 2, .infinity, .greatestFiniteMagnitude] as [Float]
    #expect(steps(samples, encoding) == Array(repeating: full - 1, count: 5))
    #expect(steps(samples.map { -$0 }, encoding) == Array(repeating: -full, count: 5))
    let last = [Float(full - 1), Float(full) - 0.5].map { $0 / Float(full) }
    #expect(steps(last, encoding) == [full - 1, full - 1])
  }

  @Test(arguments: [SampleEncoding.s16, .s24])
  func `a sample that is NaN becomes silence`(encoding: SampleEncoding) {
    #expect(steps([.nan, -.nan, .signalingNaN, -0.0, .leastNonzeroMagnitude], encoding) == [0, 0, 0, 0, 0])
  }

  /// The simple formula, for comparison with the fast one.
  @Test(arguments: [SampleEncoding.s16, .s24])
  func `floats of every size are rounded as in the simple formula`(encoding: SampleEncoding) {
    let scale = Float(encoding.fullScale)
    let samples = (0..<100_000 as Range<UInt32>).map { Float(bitPattern: $0 &* 42_949) }
    let expected = samples.map { sample in
      sample.isNaN ? 0 : Int(max(-scale, min((sample * scale).rounded(.toNearestOrEven), scale - 1)))
    }
    #expect(steps(samples, encoding) == expected)
  }

  /// The format that libsndfile accepts.
  @Test func `integer samples equal the encoded bytes, with 24 bits in the upper part of 32`() {
    let samples = [0.3, -0.3, 1, -1, .nan] as [Float]
    var short = [Int16](repeating: 7, count: 5)
    var long = [Int32](repeating: 7, count: 5)
    samples.withUnsafeBufferPointer { samples in
      short.withUnsafeMutableBufferPointer { Quantising.to16(samples, $0) }
      long.withUnsafeMutableBufferPointer { Quantising.to24(samples, $0) }
    }
    #expect(short.map { Int($0) } == steps(samples, .s16))
    #expect(long.map { Int($0) } == steps(samples, .s24).map { $0 << 8 })
  }

  @Test func `floats are encoded unchanged`() {
    #expect(bytes([1.5], .f32) == [0, 0, 0xC0, 0x3F, 0, 0, 0xC0, 0xBF])
  }
}

extension SampleEncoding {
  /// One step above the largest integer.
  fileprivate var fullScale: Int { 1 << (8 * bytesPerSample - 1) }
}
