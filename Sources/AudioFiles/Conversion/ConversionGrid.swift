import Synchronization

/// The points at which a stream can enter a conversion with the same result, to the last bit, as if everything before
/// had been read.
///
/// The resampler works in blocks, and the rounding of a frame depends on the frames before it in its block. So such a
/// point must be a whole frame at both rates and the beginning of a block.
struct ConversionGrid: Sendable {
  /// The distance of two points in frames of the source's rate.
  private(set) var source: Int64
  /// The distance of two points in frames of the session's rate.
  private(set) var session: Int64

  /// The grids that have been measured.
  private static let known = Mutex<[Conversion.Rates: ConversionGrid]>([:])
  /// Seconds of the source that may be decoded in vain. A wider grid is replaced by the common frames of both rates,
  /// where the result is the same except for the rounding of floats.
  private static let widest: Int64 = 30

  /// The grid of two rates, measured the first time it is needed. Called from any thread.
  static func between(_ rates: Conversion.Rates) -> ConversionGrid {
    if let grid = known.withLock({ $0[rates] }) { return grid }
    let grid = ConversionGrid(rates)
    known.withLock { $0[rates] = grid }
    return grid
  }

  private init(_ rates: Conversion.Rates) {
    let divisor = greatestCommonDivisor(Int64(rates.source), Int64(rates.session))
    (source, session) = (Int64(rates.source) / divisor, Int64(rates.session) / divisor)
    guard let (taken, made) = Self.blocks(rates) else { return }
    let times = leastCommonMultiple(source, taken) / source
    let whole = times * (leastCommonMultiple(times * session, made) / (times * session))
    guard whole * source <= Self.widest * Int64(rates.source) else { return }
    (source, session) = (whole * source, whole * session)
  }

  /// Measures the resampler by feeding it single frames.
  ///
  /// - Returns: the input frames per block, or per few blocks if only those are a whole number, and the largest number
  ///   that all its outputs are multiples of; nil if no such numbers are found.
  private static func blocks(_ rates: Conversion.Rates) -> (taken: Int64, made: Int64)? {
    guard let resampler = Resampler(from: rates.source, to: rates.session, channels: 1) else { return nil }
    var output = [Float](repeating: 0, count: 1 << 16)
    var silence: Float = 0
    var bursts: [(at: Int64, made: Int64)] = []
    for at in 0..<Int64(1 << 20) {
      let made = resampler.process(&silence, frames: 1, into: &output, capacity: output.count).made
      if 0 < made { bursts.append((at, Int64(made))) }
      if bursts.count == 14 { break }
    }
    guard bursts.count == 14 else { return nil }
    // The first outputs are irregular: the resampler's filter is being filled.
    bursts.removeFirst(2)
    let made = bursts.map(\.made).reduce(0, greatestCommonDivisor)
    for blocks in 1...4 {
      let gaps = zip(bursts, bursts.dropFirst(blocks)).map { $1.at - $0.at }
      if let taken = gaps.first, gaps.allSatisfy({ $0 == taken }) { return (taken, made) }
    }
    return nil
  }
}

private func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 { b == 0 ? a : greatestCommonDivisor(b, a % b) }

private func leastCommonMultiple(_ a: Int64, _ b: Int64) -> Int64 { a / greatestCommonDivisor(a, b) * b }
