@testable import Engine
import Signal
import Testing

@Suite struct LimiterTests {
  private let rate = SampleRate(hertz: 8_000) ?? .studio

  private func limit(_ input: [Float], blocks: [Int], rate: SampleRate? = nil) -> [Float] {
    var limiter = Limiter(rate: rate ?? self.rate)
    var frames = (input + Array(repeating: 0, count: limiter.delay)).map { Frame(mono: $0) }
    var done = 0
    var call = 0
    frames.withUnsafeMutableBufferPointer { buffer in
      while done < buffer.count, let base = buffer.baseAddress {
        let count = min(blocks[call % blocks.count], buffer.count - done)
        limiter.process(base + done, count: count)
        done += count
        call += 1
      }
    }
    return frames.dropFirst(limiter.delay).map(\.left)
  }

  /// A square wave whose amplitude rises from half of full scale to twice full scale, and falls again.
  private let swell: [Float] = (0..<8_000).map { frame in
    let size = 0.5 + 1.5 * (1 - abs(Float(frame) / 4_000 - 1))
    return frame % 7 < 3 ? size : -size
  }

  @Test func `sound below full scale passes bit for bit`() {
    let input: [Float] = (0..<5_000).map { Float($0 % 2_001 - 1_000) / 1_000 }
    #expect(limit(input, blocks: [64]) == input)
  }

  @Test(arguments: [[64], [1], [700, 3]])
  func `a sample that is NaN becomes silence, and all others pass bit for bit`(blocks: [Int]) {
    var input: [Float] = (0..<2_000).map { Float($0 % 2_001 - 1_000) / 1_000 }
    input[700] = .nan
    let output = limit(input, blocks: blocks)
    input[700] = 0
    #expect(output == input)
  }

  @Test func `no output sample exceeds full scale`() {
    let output = limit(swell, blocks: [512])
    #expect(output.allSatisfy { abs($0) <= 1 })
    #expect((output.map(abs).max() ?? 0) > 0.99)
  }

  @Test func `the gain changes without a step`() {
    let output = limit(swell, blocks: [512])
    let gains = zip(output, swell).map { $0 / $1 }
    #expect(zip(gains, gains.dropFirst()).allSatisfy { abs($0 - $1) < 0.03 })
  }

  @Test func `the block size changes no bit of the output`() {
    let reference = limit(swell, blocks: [8_192])
    for blocks in [[1], [3, 50, 1], [40], [41, 39]] { #expect(limit(swell, blocks: blocks) == reference) }
  }

  @Test(arguments: [8_000, 48_000, 192_000])
  func `the gain returns to exactly 1 after a peak`(hertz: Int) {
    let peak = hertz / 2
    var input = [Float](repeating: 0.3, count: 3 * hertz)
    input[peak] = 3
    let output = limit(input, blocks: [100], rate: SampleRate(hertz: hertz))
    #expect(output[peak] <= 1 && output[peak] > 0.99)
    #expect(output[peak - hertz / 50] == 0.3 && output[peak + 1] < 0.2 && output.last == 0.3)
  }

  @Test func `the sliding minimum is the least value of its window`() {
    let values: [Float] = (0..<500).map { Float(($0 * 7_919) % 101) }
    var least = SlidingMinimum(window: 9)
    for (index, value) in values.enumerated() {
      let next = least.next(value)
      #expect(next == values[max(0, index - 8)...index].min())
    }
  }
}
