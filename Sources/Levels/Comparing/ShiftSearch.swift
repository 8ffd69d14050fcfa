import Glibc
package import Signal

/// Looks for a shift in time that makes two sounds similar where they differ: first with their envelopes, then with the
/// samples of a few excerpts, which it collects from the frames of both. Used by one thread at a time.
package final class ShiftSearch {
  private let rate: Int
  /// The steps from the first to the last one that differ.
  let region: Range<Int>
  /// The mean square of the difference in the region.
  let difference: Double
  private var trials: [Trial] = []
  private var position: FrameCount = 0

  /// Parts of A, and for each of them the part of B that a lag leads to, with a margin on both sides.
  private struct Trial {
    /// In frames.
    var lag: Int
    var parts: [(a: Excerpt, b: Excerpt)]
  }

  /// The length of an excerpt and of the margin in seconds. Excerpts of high rates are shorter.
  private static let (excerpt, margin) = (0.5, 0.015)
  private static let longestExcerpt = 24_000
  /// The number of excerpts.
  private static let excerpts = 3
  /// The correlation of samples from which two excerpts can be the same sound.
  private static let leastCorrelation = 0.9

  /// Nil if the spans of the difference exclude a shift, or if something simpler explains it.
  ///
  /// - Parameter difference: what `comparison` has found.
  package init?(_ comparison: SoundComparison, _ difference: SoundDifference) {
    let kinds = Set(difference.spans.map(\.kind))
    guard difference.explanation == nil, kinds.contains(.sound) || kinds.isSuperset(of: [.onlyA, .onlyB]),
      let first = difference.spans.first, let last = difference.spans.last
    else { return nil }
    rate = comparison.rate
    region = Int((first.from * 10).rounded())..<Int((last.to * 10).rounded())
    let steps = comparison.steps
    self.difference = region.reduce(0) { $0 + Double(steps[$1].difference) } / Double(region.count)
    let begins = Self.loudest(in: region, of: steps)
    trials = EnvelopeSearch(comparison, in: region).lags.map { lag in trial(lag, begins) }
  }

  /// The steps of A that are the loudest ones, at least a second from each other, without silence.
  private static func loudest(in region: Range<Int>, of steps: [ComparedStep]) -> [Int] {
    var found: [Int] = []
    for index in region.sorted(by: { steps[$1].a < steps[$0].a }) where 0 < steps[index].a {
      if found.allSatisfy({ 10 <= abs($0 - index) }) { found.append(index) }
      if found.count == excerpts { break }
    }
    return found
  }

  private func trial(_ hundredths: Int, _ begins: [Int]) -> Trial {
    let lag = hundredths * rate / 100
    let length = min(Self.longestExcerpt, Int(Self.excerpt * Double(rate)))
    let margin = Int(Self.margin * Double(rate))
    let parts = begins.map { step in
      // The attack of a sound says more than its rest.
      let begin = max(0, step - 1) * rate / 10
      return (
        a: Excerpt(begin..<(begin + length)),
        b: Excerpt((begin + lag - margin)..<(begin + lag + length + margin))
      )
    }
    return Trial(lag: lag, parts: parts)
  }

  /// Adds the next frames of both sounds, of which one may have ended.
  package func add(_ a: UnsafeBufferPointer<Frame>, _ b: UnsafeBufferPointer<Frame>) {
    for trial in trials.indices {
      for part in trials[trial].parts.indices {
        trials[trial].parts[part].a.take(a, from: Int(position))
        trials[trial].parts[part].b.take(b, from: Int(position))
      }
    }
    position += FrameCount(max(a.count, b.count))
  }

  /// By how many frames B is later than A; nil if no shift makes the excerpts similar. Called after the last frames.
  package var lag: FrameCount? {
    let margin = Int(Self.margin * Double(rate))
    var best = (lag: 0, correlation: Self.leastCorrelation)
    for trial in trials {
      for offset in 0...2 * margin {
        let correlation = Self.correlation(trial.parts, offset)
        if best.correlation < correlation { best = (trial.lag + offset - margin, correlation) }
      }
    }
    return best.lag == 0 ? nil : FrameCount(best.lag)
  }

  private static func correlation(_ parts: [(a: Excerpt, b: Excerpt)], _ offset: Int) -> Double {
    var (a, b, product) = (0.0, 0.0, 0.0)
    for part in parts {
      for index in part.a.samples.indices {
        let (x, y) = (part.a.samples[index], part.b.samples[index + offset])
        a += Double(x * x)
        b += Double(y * y)
        product += Double(x * y)
      }
    }
    // An inverted sound is the same one.
    return 0 < a && 0 < b ? abs(product) / (a * b).squareRoot() : 0
  }
}

/// A part of a sound as one channel, in which neither equal nor opposite channels cancel each other.
private struct Excerpt {
  /// In frames; it may begin before the sound.
  private let range: Range<Int>
  private(set) var samples: [Float]

  init(_ range: Range<Int>) { (self.range, samples) = (range, [Float](repeating: 0, count: range.count)) }

  mutating func take(_ frames: UnsafeBufferPointer<Frame>, from position: Int) {
    let common = range.clamped(to: position..<(position + frames.count))
    for frame in common {
      let source = frames[frame - position]
      samples[frame - range.lowerBound] = source.left + source.right / 2
    }
  }
}

/// Looks for lags at which the envelopes of two sounds are similar.
private struct EnvelopeSearch {
  private let a: [Float]
  private let b: [Float]
  private let comparison: SoundComparison
  private let region: Range<Int>

  /// The largest lag, in steps of 0.1 s: a minute.
  private static let largest = 600
  /// How many lags are tried.
  private static let count = 3
  /// At most so many hundredths of the region are compared: a minute.
  private static let longest = 6_000

  /// - Parameter region: steps of 0.1 s.
  init(_ comparison: SoundComparison, in region: Range<Int>) {
    (self.comparison, self.region) = (comparison, region)
    a = comparison.steps.map { $0.a.squareRoot() }
    b = comparison.steps.map { $0.b.squareRoot() }
  }

  /// The lags of B in hundredths of a second, without a shift first.
  var lags: [Int] {
    let lags = Array(-Self.largest...Self.largest)
    let values = lags.map { Self.correlation(a, b, region, $0) }
    let tops = lags.indices.filter { index in
      let (before, after) = (index == 0 ? -1 : values[index - 1], index + 1 == lags.count ? -1 : values[index + 1])
      return 0 < values[index] && before <= values[index] && after <= values[index]
    }
    let best = tops.sorted { values[$1] < values[$0] }.prefix(Self.count).map { lags[$0] }
    return ([0] + best).reduce(into: []) { found, lag in
      let fine = refined(10 * lag)
      if !found.contains(fine) { found.append(fine) }
    }
  }

  /// The best lag in hundredths around one.
  private func refined(_ lag: Int) -> Int {
    let part = (10 * region.lowerBound)..<min(10 * region.lowerBound + Self.longest, comparison.envelopeA.count)
    let near = (lag - 15)...(lag + 15)
    let all = near.map { near in
      // Of equal ones, the nearest.
      (Self.correlation(comparison.envelopeA, comparison.envelopeB, part, near), -abs(near - lag), near)
    }
    return all.max { $0 < $1 }?.2 ?? lag
  }

  /// The correlation of a region of A with B, later by `lag`.
  private static func correlation(_ a: [Float], _ b: [Float], _ region: Range<Int>, _ lag: Int) -> Float {
    let range = region.clamped(to: -lag..<(b.count - lag)).clamped(to: a.indices)
    if range.isEmpty { return 0 }
    var (sumA, sumB, squareA, squareB, product): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
    for index in range {
      let (x, y) = (a[index], b[index + lag])
      (sumA, sumB) = (sumA + x, sumB + y)
      (squareA, squareB, product) = (squareA + x * x, squareB + y * y, product + x * y)
    }
    let count = Float(range.count)
    let (spreadA, spreadB) = (squareA - sumA * sumA / count, squareB - sumB * sumB / count)
    guard 0 < spreadA, 0 < spreadB else { return 0 }
    // What the lag moves out of the region counts against it.
    return (product - sumA * sumB / count) / (spreadA * spreadB).squareRoot() * count / Float(region.count)
  }
}
