import Glibc

/// The loudness of a sound from the weighted power of each 0.1 s: all values of EBU R128 that are means of it.
///
/// libebur128 would compute these values, too, but adds up each window of 0.4 s and 3 s anew, which takes longer than the
/// weighting.
struct GatedLoudness {
  /// The mean power of each complete 0.1 s with the weighting of ITU-R BS.1770.
  private(set) var steps: [Double] = []

  /// The steps of a momentary and of a short-term loudness, 0.4 s and 3 s, and those between two of the latter.
  private static let (momentarySteps, shortTermSteps, hop) = (4, 30, 10)
  /// The power of −70 LUFS, below which nothing counts.
  private static let silence = power(ofLoudness: -70)

  mutating func append(_ power: Double) { steps.append(power) }

  /// The loudness of the last 0.4 s in LUFS. What precedes the sound is silence.
  var momentary: Double { LoudnessMeter.loudness(ofPower: mean(Self.momentarySteps, until: steps.count)) }
  /// The loudness of the last 3 s in LUFS.
  var shortTerm: Double { LoudnessMeter.loudness(ofPower: mean(Self.shortTermSteps, until: steps.count)) }
  /// The momentary loudness in LUFS after each step.
  var trace: [Float] {
    steps.indices.map { Float(LoudnessMeter.loudness(ofPower: mean(Self.momentarySteps, until: $0 + 1))) }
  }

  /// The loudness in LUFS without quiet parts; −∞ if nothing is loud enough. Blocks of 0.4 s every 0.1 s count if they have
  /// −70 LUFS and are at most 10 LU below the loudness of those (ITU-R BS.1770-4).
  var integrated: Double {
    let blocks = means(of: Self.momentarySteps, every: 1)
    let gate = 0.1 * Self.mean(blocks)
    let loud = blocks.filter { gate <= $0 }
    return loud.isEmpty ? -.infinity : LoudnessMeter.loudness(ofPower: Self.mean(loud))
  }

  /// The loudness range in LU: between the 10th and the 95th percentile of the short-term loudness every second, without
  /// what is more than 20 LU below its mean (EBU Tech 3342).
  var range: Double {
    let blocks = means(of: Self.shortTermSteps, every: Self.hop)
    let gate = 0.01 * Self.mean(blocks)
    let loud = blocks.filter { gate <= $0 }.sorted()
    guard let last = loud.indices.last else { return 0 }
    let at = { (share: Double) in loud[Int((Double(last) * share).rounded())] }
    return 10 * log10(at(0.95) / at(0.1))
  }

  /// The means of complete windows, without silence.
  private func means(of count: Int, every hop: Int) -> [Double] {
    stride(from: count, through: steps.count, by: hop).map { mean(count, until: $0) }.filter { Self.silence <= $0 }
  }

  /// The mean of the steps before an index.
  private func mean(_ count: Int, until end: Int) -> Double {
    steps[max(0, end - count)..<end].reduce(0, +) / Double(count)
  }

  private static func mean(_ powers: [Double]) -> Double { powers.reduce(0, +) / Double(max(1, powers.count)) }

  private static func power(ofLoudness loudness: Double) -> Double {
    pow(10, (loudness + LoudnessMeter.offset) / 10)
  }
}
