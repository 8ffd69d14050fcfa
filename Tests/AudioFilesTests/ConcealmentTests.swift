import Testing

@testable import AudioFiles

/// At 1,000 Hz, a fade has five frames, and its gain changes in steps of 1/6.
@Suite struct ConcealmentTests {
  private func passed(_ concealment: inout Concealment, _ samples: [Float]) -> [Float] {
    var samples = samples
    let count = samples.count
    samples.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { concealment.process(base, frames: count) } }
    return samples.map { ($0 * 6).rounded() / 6 }
  }

  private func lost(_ concealment: inout Concealment, _ count: Int, room: Int64 = 1_000) -> [Float] {
    var samples = [Float](repeating: .nan, count: count)
    samples.withUnsafeMutableBufferPointer {
      if let base = $0.baseAddress { concealment.conceal(base, frames: count, room: room) }
    }
    return samples.map { ($0 * 6).rounded() / 6 }
  }

  private func sixths(_ values: [Float]) -> [Float] { values.map { $0 / 6 } }

  @Test func `the sound before a gap is unchanged, and the sound after it fades in`() {
    var concealment = Concealment(rate: 1_000, width: 1)
    #expect(passed(&concealment, [1, 1, 1, 1, 1, 1]) == [1, 1, 1, 1, 1, 1])
    #expect(lost(&concealment, 4) + lost(&concealment, 3) == sixths([5, 4, 3, 2, 1, 0, 0]))
    #expect(passed(&concealment, [1, 1]) + passed(&concealment, [1, 1, 1, 1]) == sixths([1, 2, 3, 4, 5, 6]))
  }

  @Test func `the fade-out is a mirror image of the sound before the gap`() {
    var concealment = Concealment(rate: 1_000, width: 1)
    _ = passed(&concealment, [9, 60, 0, 0])
    _ = passed(&concealment, [6, 12])
    #expect(lost(&concealment, 6) == [10, 4, 0, 0, 10, 0])
  }

  @Test func `if the sound before the gap is shorter than a fade, it is mirrored again`() {
    var concealment = Concealment(rate: 1_000, width: 1)
    _ = passed(&concealment, [6, 12])
    #expect(lost(&concealment, 5) == [10, 4, 3, 4, 2])
  }

  @Test func `without sound before the gap, nothing fades out`() {
    var concealment = Concealment(rate: 1_000, width: 1)
    #expect(lost(&concealment, 3) == [0, 0, 0])
    #expect(passed(&concealment, [1]) == sixths([1]))
  }

  @Test func `a gap that is shorter than a fade becomes a crossfade that is never louder than the sound`() {
    var concealment = Concealment(rate: 1_000, width: 1)
    _ = passed(&concealment, [1, 1, 1, 1, 1])
    #expect(lost(&concealment, 1) == sixths([5]))
    #expect(passed(&concealment, [1, 1, 1, 1, 1, 1]) == sixths([5, 5, 5, 5, 5, 6]))
  }

  @Test func `a fade-out before the end of a sound is as long as the rest of the sound`() {
    var concealment = Concealment(rate: 1_000, width: 1)
    _ = passed(&concealment, [1, 1, 1, 1, 1])
    #expect(lost(&concealment, 2, room: 2) == sixths([4, 2]))
  }

  @Test func `each channel is concealed separately`() {
    var concealment = Concealment(rate: 1_000, width: 2)
    var samples: [Float] = [6, 0, 6, 0, 6, 0, 6, 0, 6, 60]
    samples.withUnsafeMutableBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      concealment.process(base, frames: 5)
      concealment.conceal(base, frames: 2, room: 100)
    }
    #expect(samples[..<4].map { $0.rounded() } == [5, 50, 4, 0])
  }
}
