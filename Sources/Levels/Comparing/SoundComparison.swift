import Glibc
package import Signal

/// Compares two sounds from blocks of their frames. It keeps 100 bytes for each 0.1 s. Used by one thread at a time.
package final class SoundComparison {
  let rate: Int
  /// In dBFS, and as a factor.
  let limit: Double
  private let largest: Float
  /// Whether a difference of the lengths counts.
  private let comparesLengths: Bool

  /// The root mean square of both sounds every 0.01 s.
  private(set) var (envelopeA, envelopeB): ([Float], [Float]) = ([], [])
  /// Each complete 0.1 s.
  private(set) var steps: [ComparedStep] = []
  /// The current step and 0.01 s, and everything before.
  private var (step, hundredth, whole) = (ComparedPowers(), ComparedPowers(), ComparedPowers())
  /// The number of frames of each sound.
  private var (countA, countB): (FrameCount, FrameCount) = (0, 0)
  /// The frame of the first sample above the limit.
  private var first: FrameCount?

  private static let silence = [Frame](repeating: .silence, count: 4_096)

  /// - Parameters:
  ///   - limit: the level in dBFS up to which a sample of A−B counts as no difference.
  ///   - comparesLengths: whether sounds of different lengths are different even if only silence is missing.
  package init(rate: Int, limit: Double, comparesLengths: Bool = true) {
    (self.rate, self.limit, self.comparesLengths) = (rate, limit, comparesLengths)
    largest = Float(pow(10, limit / 20))
  }

  /// Adds the next frames of both sounds. Only at the end of one may it have fewer frames than the other.
  package func add(_ a: UnsafeBufferPointer<Frame>, _ b: UnsafeBufferPointer<Frame>) {
    let common = min(a.count, b.count)
    countA += FrameCount(a.count)
    countB += FrameCount(b.count)
    addPair(UnsafeBufferPointer(rebasing: a[..<common]), UnsafeBufferPointer(rebasing: b[..<common]))
    addAlone(UnsafeBufferPointer(rebasing: a[common...]), isA: true)
    addAlone(UnsafeBufferPointer(rebasing: b[common...]), isA: false)
  }

  private func addAlone(_ frames: UnsafeBufferPointer<Frame>, isA: Bool) {
    Self.silence.withUnsafeBufferPointer { silence in
      var rest = frames
      while !rest.isEmpty {
        let part = UnsafeBufferPointer(rebasing: rest.prefix(silence.count))
        let other = UnsafeBufferPointer(rebasing: silence[..<part.count])
        if isA { addPair(part, other) } else { addPair(other, part) }
        rest = UnsafeBufferPointer(rebasing: rest[part.count...])
      }
    }
  }

  private func addPair(_ a: UnsafeBufferPointer<Frame>, _ b: UnsafeBufferPointer<Frame>) {
    var done = 0
    while done < a.count {
      let position = whole.count + step.count + hundredth.count
      let end = frame(ofHundredth: envelopeA.count + 1)
      let part = done..<min(a.count, done + Int(end - position))
      let found = hundredth.add(
        UnsafeBufferPointer(rebasing: a[part]), UnsafeBufferPointer(rebasing: b[part]), above: largest)
      if first == nil, let found { first = position + FrameCount(found) }
      done = part.upperBound
      if position + FrameCount(part.count) == end { endHundredth() }
    }
  }

  /// The frame at which a 0.01 s begins. Not every rate has a whole number of frames in it.
  private func frame(ofHundredth index: Int) -> FrameCount { FrameCount(index) * FrameCount(rate) / 100 }

  private func endHundredth() {
    envelopeA.append(Float(hundredth.rmsA))
    envelopeB.append(Float(hundredth.rmsB))
    step.add(hundredth)
    hundredth = ComparedPowers()
    if envelopeA.count.isMultiple(of: 10) { endStep() }
  }

  private func endStep() {
    steps.append(step.step)
    whole.add(step)
    step = ComparedPowers()
  }

  /// The difference of everything so far, without a shift. Nothing can be added afterwards.
  package func finish() -> SoundDifference {
    if 0 < hundredth.count { endHundredth() }
    if 0 < step.count { endStep() }
    let added = Double(countB - countA) / Double(rate)
    var difference = SoundDifference(
      limit: limit, lengthA: Double(countA) / Double(rate), lengthB: Double(countB) / Double(rate),
      addedSeconds: abs(added) <= SoundDifference.lengthTolerance ? 0 : added,
      peak: 20 * log10(Double(whole.peak)), rms: whole.rms, first: nil, worst: nil,
      spans: DifferenceSpan.spans(of: steps, limit: limit), explanation: nil, steps: steps)
    if let first {
      let second = Double(first) / Double(rate)
      difference.first = .init(second: second, level: level(of: Int(second * 10)..<Int(second * 10) + 10))
      difference.worst = worst
      difference.explanation = whole.gain
      difference.explanation?.from = difference.spans.first?.from ?? 0
      difference.explanation?.to = difference.spans.last?.to ?? 0
    } else if comparesLengths, difference.addedSeconds != 0 {
      difference.first = .init(second: min(difference.lengthA, difference.lengthB), level: -.infinity)
      difference.worst = difference.first
    }
    return difference
  }

  private var worst: SoundDifference.Place? {
    let seconds = stride(from: 0, to: steps.count, by: 10).map { begin in
      SoundDifference.Place(second: Double(begin / 10), level: level(of: begin..<begin + 10))
    }
    return seconds.max { $0.level < $1.level }
  }

  /// The level of A−B in some steps, in dBFS. The last of all steps may be a shorter one.
  private func level(of range: Range<Int>) -> Double {
    let part = steps[range.clamped(to: steps.indices)]
    return 10 * log10(part.reduce(0) { $0 + Double($1.difference) } / Double(max(1, part.count)))
  }
}

/// Sums of squares of two sounds and of their difference.
struct ComparedPowers {
  var (a, b, product, difference): (Double, Double, Double, Double) = (0, 0, 0, 0)
  var peak: Float = 0
  /// The number of frames, each of which has two samples.
  var count: FrameCount = 0

  /// Adds as many frames of both, and returns the index of the first one whose difference is above `limit`.
  mutating func add(_ a: UnsafeBufferPointer<Frame>, _ b: UnsafeBufferPointer<Frame>, above limit: Float) -> Int? {
    var sums = self
    var first: Int?
    for index in 0..<a.count {
      let (left, right) = (Double(a[index].left), Double(a[index].right))
      let (otherLeft, otherRight) = (Double(b[index].left), Double(b[index].right))
      let (missingLeft, missingRight) = (left - otherLeft, right - otherRight)
      let magnitude = Float(max(abs(missingLeft), abs(missingRight)))
      sums.a += left * left + right * right
      sums.b += otherLeft * otherLeft + otherRight * otherRight
      sums.product += left * otherLeft + right * otherRight
      sums.difference += missingLeft * missingLeft + missingRight * missingRight
      if sums.peak < magnitude { sums.peak = magnitude }
      if limit < magnitude, first == nil { first = index }
    }
    sums.count += FrameCount(a.count)
    self = sums
    return first
  }

  mutating func add(_ other: ComparedPowers) {
    (a, b) = (a + other.a, b + other.b)
    (product, difference) = (product + other.product, difference + other.difference)
    (peak, count) = (max(peak, other.peak), count + other.count)
  }

  private var samples: Double { Double(max(1, 2 * count)) }
  var rmsA: Double { (a / samples).squareRoot() }
  var rmsB: Double { (b / samples).squareRoot() }
  /// The level of the difference in dBFS.
  var rms: Double { 10 * log10(difference / samples) }

  var step: ComparedStep {
    ComparedStep(
      a: Float(a / samples), b: Float(b / samples), product: Float(product / samples),
      difference: Float(difference / samples), peak: peak)
  }

  /// The constant gain that explains the difference; nil if there is none.
  var gain: DifferenceExplanation? {
    guard 0 < a, product != 0 else { return nil }
    let decibels = 20 * log10(abs(product) / a)
    // Below this, rounding decides.
    let rest = max(b - product * product / a, b * 1e-13)
    // A gain that leaves most of B is none: without it, B would be as different.
    guard product < 0 || DifferenceExplanation.leastGain <= abs(decibels),
      rest * DifferenceExplanation.leastFactor <= min(difference, b)
    else { return nil }
    return DifferenceExplanation(decibels: decibels, isInverted: product < 0, rest: 10 * log10(rest / samples))
  }
}
