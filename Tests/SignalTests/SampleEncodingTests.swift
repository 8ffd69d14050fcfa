import Signal
import Testing

@Suite struct SampleEncodingTests {
  func bytes(_ samples: [Float], _ encoding: SampleEncoding) -> [UInt8] {
    let frames = samples.map { Frame(left: $0, right: -$0) }
    var bytes = [UInt8](repeating: 0xAA, count: frames.count * encoding.bytesPerFrame)
    frames.withUnsafeBufferPointer { frames in bytes.withUnsafeMutableBytes { encoding.encode(frames, into: $0) } }
    return bytes
  }

  @Test func `every 16-bit value goes back to itself`() {
    let values = Array(Int16.min...Int16.max)
    let all = bytes(values.map { Float($0) / 32_768 }, .s16)
    let back = values.indices.map { Int16(truncatingIfNeeded: Int(all[4 * $0]) | Int(all[4 * $0 + 1]) << 8) }
    #expect(back == values)
  }

  @Test func `24-bit values go back to themselves, little end first`() {
    #expect(bytes([Float(0x123456) / 8_388_608], .s24) == [0x56, 0x34, 0x12, 0xAA, 0xCB, 0xED])
    #expect(bytes([-1], .s24) == [0, 0, 0x80, 0xFF, 0xFF, 0x7F])
  }

  @Test func `halves go to the even number, and full scale is the end`() {
    #expect(bytes([0.5 / 32_768, 1.5 / 32_768], .s16) == [0, 0, 0, 0, 2, 0, 0xFE, 0xFF])
    #expect(bytes([2, .infinity], .s16) == [0xFF, 0x7F, 0, 0x80, 0xFF, 0x7F, 0, 0x80])
    #expect(bytes([.nan], .s24) == [0, 0, 0, 0, 0, 0])
  }

  @Test func `floats stay as they are`() {
    #expect(bytes([1.5], .f32) == [0, 0, 0xC0, 0x3F, 0, 0, 0xC0, 0xBF])
  }
}
