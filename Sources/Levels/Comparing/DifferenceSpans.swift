import Glibc

extension DifferenceSpan {
  /// The spans of the steps that have a sample above the limit in dBFS.
  static func spans(of steps: [ComparedStep], limit: Double) -> [DifferenceSpan] {
    let judge = StepJudge(limit: limit)
    var runs: [SpanRun] = []
    for (index, step) in steps.enumerated() {
      guard let (kind, decibels) = judge.difference(of: step) else { continue }
      if !runs.isEmpty, runs[runs.count - 1].add(step, at: index, kind, decibels) { continue }
      runs.append(SpanRun(step, at: index, kind, decibels))
    }
    return SpanRun.joined(runs).map(\.span)
  }
}

/// Says how the sounds of a step differ.
private struct StepJudge {
  /// The largest magnitude that is no difference.
  let largest: Float
  /// The mean square of silence.
  let floor: Float

  /// The square of the correlation from which two sounds are the same one at different levels.
  private static let leastCorrelation: Float = 0.98
  /// The ratio of powers from which the softer sound counts as none, if it is silence by its level: 20 dB.
  private static let leastRatio: Float = 100
  /// Nothing above −60 dBFS is silence, whatever the limit.
  private static let loudestSilence = -60.0

  init(limit: Double) {
    largest = Float(pow(10, limit / 20))
    floor = Float(pow(10, min(limit, Self.loudestSilence) / 10))
  }

  /// Nil if the step has no difference.
  func difference(of step: ComparedStep) -> (kind: DifferenceSpan.Kind, decibels: Double)? {
    if step.peak <= largest { return nil }
    let decibels = 10 * log10(Double(step.b / step.a))
    if step.b == 0 { return (.onlyA, -.infinity) }
    if step.a == 0 { return (.onlyB, .infinity) }
    if step.b <= floor, floor < step.a, step.b * Self.leastRatio <= step.a { return (.onlyA, -.infinity) }
    if step.a <= floor, floor < step.b, step.a * Self.leastRatio <= step.b { return (.onlyB, .infinity) }
    let isSimilar = 0 < step.product && Self.leastCorrelation * step.a * step.b <= step.product * step.product
    return (isSimilar && DifferenceExplanation.leastGain <= abs(decibels) ? .level : .sound, decibels)
  }
}

/// Consecutive steps with the same difference.
private struct SpanRun {
  private let kind: DifferenceSpan.Kind
  private var steps: Range<Int>
  /// The number of steps that belong to it by themselves.
  private var core = 1
  /// Their mean difference in decibels.
  private var decibels: Double
  private var peak: Float

  /// How far levels may differ within a run, in decibels.
  private static let tolerance = 0.25
  /// A run with fewer steps is a transition: it belongs to a longer one beside it.
  private static let leastCore = 5
  /// So many steps without a difference don't end a run.
  private static let longestGap = 10

  init(_ step: ComparedStep, at index: Int, _ kind: DifferenceSpan.Kind, _ decibels: Double) {
    (self.kind, steps, self.decibels, peak) = (kind, index..<(index + 1), decibels, step.peak)
  }

  /// Adds a step; returns false if it is of another run.
  mutating func add(_ step: ComparedStep, at index: Int, _ kind: DifferenceSpan.Kind, _ decibels: Double) -> Bool {
    guard kind == self.kind, isNear(index), isSimilar(decibels) else { return false }
    if decibels.isFinite, self.decibels.isFinite {
      self.decibels += (decibels - self.decibels) / Double(core + 1)
    }
    (steps, core, peak) = (steps.lowerBound..<(index + 1), core + 1, max(peak, step.peak))
    return true
  }

  /// Whether a run that begins at a step can continue this one.
  private func isNear(_ begin: Int) -> Bool { begin - steps.upperBound <= Self.longestGap }

  private func isSimilar(_ decibels: Double) -> Bool {
    kind != .level || abs(decibels - self.decibels) <= Self.tolerance && decibels.sign == self.decibels.sign
  }

  /// The runs, with transitions joined to their neighbours, and then equal neighbours joined.
  static func joined(_ runs: [SpanRun]) -> [SpanRun] {
    var joined: [SpanRun] = []
    for run in runs {
      var run = run
      while let last = joined.last, last.steps.upperBound == run.steps.lowerBound, last.core < leastCore,
        last.core <= run.core
      {
        run.absorb(last)
        joined.removeLast()
      }
      if run.core < leastCore, let last = joined.last, last.steps.upperBound == run.steps.lowerBound {
        joined[joined.count - 1].absorb(run)
      } else {
        joined.append(run)
      }
    }
    return joined.reduce(into: []) { all, run in
      guard let last = all.last, last.kind == run.kind, last.isNear(run.steps.lowerBound), last.isSimilar(run.decibels)
      else { return all.append(run) }
      all[all.count - 1].absorb(run)
    }
  }

  private mutating func absorb(_ other: SpanRun) {
    let (begin, end) = (min(steps.lowerBound, other.steps.lowerBound), max(steps.upperBound, other.steps.upperBound))
    (steps, peak) = (begin..<end, max(peak, other.peak))
  }

  var span: DifferenceSpan {
    DifferenceSpan(
      kind: kind, from: Double(steps.lowerBound) / 10, to: Double(steps.upperBound) / 10, decibels: decibels,
      peak: 20 * log10(Double(peak)))
  }
}
