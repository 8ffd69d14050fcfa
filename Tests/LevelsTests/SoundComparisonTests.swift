import Foundation
import Levels
import Signal
import TestSupport
import Testing

/// Differences of two sounds whose places and sizes are known.
struct SoundComparisonTests {
  private static let rate = 8_000

  /// Ten seconds of noise.
  private static let noise = TestSound.noise(10 * rate)

  /// Compares as `prosper compare` does, in all its passes.
  private static func difference(
    _ a: [Frame], _ b: [Frame], rate: Int = rate, block: Int = 1_009, limit: Double = -80
  ) -> SoundDifference {
    func read(_ body: (UnsafeBufferPointer<Frame>, UnsafeBufferPointer<Frame>) -> Void) {
      for start in stride(from: 0, to: max(a.count, b.count), by: block) {
        let (x, y) = (a.dropFirst(start).prefix(block), b.dropFirst(start).prefix(block))
        x.withUnsafeBufferPointer { x in y.withUnsafeBufferPointer { y in body(x, y) } }
      }
    }
    let comparison = SoundComparison(rate: rate, limit: limit)
    read(comparison.add)
    var difference = comparison.finish()
    guard let search = ShiftSearch(comparison, difference) else { return difference }
    read(search.add)
    guard let check = search.lag.map({ ShiftCheck(search, rate: rate, lag: $0) }) else { return difference }
    read(check.add)
    difference.explanation = check.explanation
    return difference
  }

  /// A sound with a part that is changed.
  private static func changed(
    _ range: Range<Int>, of sound: [Frame] = noise, _ change: (Int, Frame) -> Frame
  ) -> [Frame] {
    var sound = sound
    for index in range { sound[index] = change(index, sound[index]) }
    return sound
  }

  @Test func `equal sounds are the same, and so are those whose samples differ by no more than the limit`() {
    let equal = Self.difference(Self.noise, Self.noise)
    #expect(equal.isSame && equal.peak == -.infinity && equal.rms == -.infinity && equal.spans.isEmpty)
    #expect(equal.lengthA == 10 && equal.lengthB == 10 && equal.addedSeconds == 0 && equal.worst == nil)
    let rounded = Self.noise.map { Frame(left: $0.left + 0.000_09, right: $0.right) }
    let within = Self.difference(Self.noise, rounded)
    #expect(within.isSame && abs(within.peak + 80.9) < 0.1)
    #expect(!Self.difference(Self.noise, rounded, limit: -90).isSame)
    #expect(Self.difference([], []).isSame)
  }

  @Test func `sounds that have nothing in common are not one with a gain, and an inverted one is told`() throws {
    // B is soft, so a gain of -80 dB of A leaves B, and not A.
    let soft = TestSound.noise(10 * Self.rate, seed: 7).map { $0 * 0.000_1 }
    let unrelated = Self.difference(Self.noise, soft, limit: -70)
    #expect(unrelated.explanation == nil && unrelated.spans.map(\.kind) == [.onlyA], "\(unrelated.spans)")
    let inverted = try #require(Self.difference(Self.noise, Self.noise.map { $0 * -0.5 }).explanation)
    #expect(inverted.isInverted && abs(inverted.decibels + 6.02) < 0.01 && inverted.rest < -120)
    #expect(try #require(Self.difference(Self.noise, Self.noise.map { $0 * -1 }).explanation).isInverted)
    let late = [Frame](repeating: .silence, count: 160) + Self.noise.map { $0 * -1 }
    let shifted = try #require(Self.difference(Self.noise, late).explanation)
    #expect(shifted.isInverted && abs(shifted.shift - 0.02) < 1e-9 && shifted.rest < -120)
    // However soft it is, a sound beside digital silence is alone.
    let silence = [Frame](repeating: .silence, count: Self.noise.count)
    #expect(Self.difference(silence, soft, limit: -120).spans.map(\.kind) == [.onlyB])
    #expect(Self.difference(soft, silence, limit: -120).spans.map(\.kind) == [.onlyA])
  }

  @Test func `a part at another level is one span with its gain`() {
    let gain = Gain(decibels: -3).linear
    let b = Self.changed(20_000..<34_400) { _, frame in frame * gain }
    let difference = Self.difference(Self.noise, b)
    let span = difference.spans.first
    #expect(difference.spans.count == 1 && span?.kind == .level && span?.from == 2.5 && span?.to == 4.3)
    #expect(abs((span?.decibels ?? 0) + 3) < 0.01 && difference.explanation == nil)
    #expect(difference.first?.second == 2.5 && !difference.isSame)
    // The second that is different from its beginning to its end.
    #expect(difference.worst?.second == 3)
  }

  @Test func `fades into and out of another level belong to its span`() {
    let b = Self.changed(20_000..<60_000) { index, frame in
      let part = min(Double(index - 20_000) / 2_400, Double(60_000 - index) / 8_000, 1)
      return frame * Gain(decibels: -9 * part).linear
    }
    let spans = Self.difference(Self.noise, b).spans
    #expect(spans.count == 1 && spans.first?.from == 2.5 && spans.first?.to == 7.5, "\(spans)")
    #expect(abs((spans.first?.decibels ?? 0) + 9) < 0.3)
  }

  @Test(arguments: [-3.0, -0.5, 2.0])
  func `a constant gain explains the whole difference`(decibels: Double) throws {
    let b = Self.noise.map { $0 * Gain(decibels: decibels).linear }
    let difference = Self.difference(Self.noise, b)
    let explanation = try #require(difference.explanation)
    #expect(abs(explanation.decibels - decibels) < 0.001 && explanation.shift == 0 && explanation.rest < -120)
    #expect(explanation.from == 0 && explanation.to == 10)
  }

  @Test(arguments: [160, -160, 1, -1, 12_345, -40_000], [0.0, -6.0])
  func `a shift explains the whole difference, also with a gain`(lag: Int, decibels: Double) throws {
    let silence = [Frame](repeating: .silence, count: abs(lag))
    // Noise has no envelope that helps; a sound that swells does.
    let swelling = Self.changed(0..<Self.noise.count) { index, frame in
      frame * Float(0.6 + 0.4 * sin(Double(index) / 3_000) * sin(Double(index) / 7_001))
    }
    let loud = swelling.map { $0 * Gain(decibels: decibels).linear }
    let difference =
      0 < lag ? Self.difference(swelling, silence + loud) : Self.difference(silence + swelling, loud)
    let explanation = try #require(difference.explanation)
    #expect(explanation.shift == Double(lag) / 8_000, "\(explanation)")
    #expect(abs(explanation.decibels - decibels) < 0.001 && explanation.rest < -120)
    #expect(difference.addedSeconds == (abs(lag) < 9 ? 0 : Double(lag) / 8_000))
  }

  @Test func `a sound that was moved in silence is shifted from its first to its last difference`() throws {
    func scene(at begin: Int) -> [Frame] {
      var frames = [Frame](repeating: .silence, count: 10 * Self.rate)
      frames.replaceSubrange(begin..<(begin + 16_000), with: Self.noise[0..<16_000])
      return frames
    }
    let explanation = try #require(Self.difference(scene(at: 24_000), scene(at: 44_000)).explanation)
    #expect(explanation.shift == 2.5 && explanation.from == 3 && explanation.to == 7.5)
    #expect(explanation.rest == -.infinity)
    // What follows an insertion.
    let inserted = Self.noise[..<40_000] + TestSound.noise(4_000, seed: 9) + Self.noise[40_000...]
    let later = try #require(Self.difference(Self.noise, Array(inserted)).explanation)
    #expect(later.shift == 0.5 && later.from == 5 && later.rest < -120)
  }

  @Test func `a missing strike is no shift, although its tail resembles that of another one`() {
    let strike = (0..<(8 * Self.rate)).map { Self.noise[$0] * Float(exp(-Double($0) / 6_000)) }
    let silence = [Frame](repeating: .silence, count: 8_000)
    let difference = Self.difference(silence + strike, silence + strike.map { $0 * 0 })
    #expect(difference.explanation == nil && difference.spans.first?.kind == .onlyA)
    #expect(difference.spans.first?.from == 1)
    let twice = silence + zip(strike, silence + strike).map { $0 + $1 }
    let once = Self.difference(twice, silence + strike)
    #expect(once.explanation == nil && once.first?.second == 2, "\(once.spans)")
  }

  @Test func `a tail that is cut off, or added, is told with its seconds`() {
    let difference = Self.difference(Self.noise, Array(Self.noise[..<68_000]))
    #expect(difference.addedSeconds == -1.5 && difference.first?.second == 8.5)
    #expect(difference.spans.map(\.kind) == [.onlyA] && difference.spans.first?.from == 8.5)
    #expect(difference.spans.first?.to == 10)
    let silent = Self.noise + [Frame](repeating: .silence, count: 4_000)
    let longer = Self.difference(Self.noise, silent)
    #expect(!longer.isSame && longer.addedSeconds == 0.5 && longer.first?.second == 10 && longer.spans.isEmpty)
    // A millisecond is less than what converting a rate may add.
    #expect(Self.difference(Self.noise, Array(silent[..<80_008])).isSame)
    #expect(!Self.difference(Self.noise, Array(silent[..<80_009])).isSame)
  }

  @Test func `a click of one sample is found at its frame`() {
    let b = Self.changed(56_789..<56_790) { _, frame in Frame(left: frame.left, right: frame.right + 0.01) }
    let difference = Self.difference(Self.noise, b)
    #expect(difference.first?.second == 56_789 / 8_000 && difference.worst?.second == 7)
    #expect(abs(difference.peak + 40) < 0.001)
    #expect(difference.spans.map(\.from) == [7] && difference.spans.map(\.to) == [7.1])
    #expect(difference.spans.first?.kind == .sound)
  }

  @Test func `a second of another sound is one span, and an appended one has sound only in B`() {
    let other = TestSound.noise(80_000, seed: 2)
    let b = Self.changed(40_000..<48_000) { index, _ in other[index] }
    let difference = Self.difference(Self.noise, b)
    #expect(difference.spans.map(\.kind) == [.sound] && difference.worst?.second == 5)
    #expect(difference.spans.first?.from == 5 && difference.spans.first?.to == 6)
    let gap = Self.changed(16_000..<32_000) { _, _ in .silence }
    #expect(Self.difference(gap, Self.noise).spans.map(\.kind) == [.onlyB])
    #expect(Self.difference(Self.noise, gap).spans.map(\.kind) == [.onlyA])
  }

  @Test(arguments: [1, 80, 4_096, 100_000])
  func `the result does not depend on the blocks`(block: Int) {
    let b = Self.changed(20_000..<34_400) { _, frame in frame * 0.5 }
    let cut = Array(b[..<70_001])
    #expect(Self.difference(Self.noise, cut, block: block) == Self.difference(Self.noise, cut))
  }

  @Test func `a rate without whole frames in a hundredth of a second has exact spans`() {
    let a = TestSound.noise(11_025 * 60)
    let b = Self.changed(11_025 * 50..<11_025 * 51, of: a) { _, frame in frame * 0.5 }
    let difference = Self.difference(a, b, rate: 11_025)
    #expect(difference.spans.map(\.from) == [50] && difference.spans.map(\.to) == [51])
    #expect(difference.steps.count == 600 && difference.lengthB == 60)
  }
}
