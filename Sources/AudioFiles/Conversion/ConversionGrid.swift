import Synchronization

/// The points at which a conversion can start with the same result, bit for bit, as if everything before had been
/// converted, too.
///
/// The resampler works in blocks, and the rounding of a frame depends on the frames before it in its block. Such a
/// point must therefore be a whole frame at both rates, and the beginning of a block.
struct ConversionGrid: Sendable {
  /// The distance between two points, in frames at the source's rate.
  private(set) var source: Int64
  /// The distance between two points, in frames at the session's rate.
  private(set) var session: Int64
  /// Whether the result is the same bit for bit. If not, the points are only whole frames at both rates, see `widest`.
  private(set) var isExact = false

  /// The grids that were measured so far.
  private static let known = Mutex<[Conversion.Rates: ConversionGrid]>([:])
  /// The maximum distance between two points, in seconds, because all frames between a point and the start are decoded
  /// and dropped. A wider grid is replaced by the frames that both rates have in common. There the result is the same
  /// except for the rounding of floats.
  private static let widest: Int64 = 30

  /// The grid of two rates, measured the first time it is needed. Called from any thread.
  static func between(_ rates: Conversion.Rates) -> ConversionGrid {
    if let grid = known.withLock({ $0[rates] }) { return grid }
    let grid = ConversionGrid(rates)
    known.withLock { $0[rates] = grid }
    return grid
  }

  private init(_ rates: Conversion.Rates) {
    (source, session) = rates.reduced
    guard let (taken, made) = Self.blocks(rates) else { return }
    let times = leastCommonMultiple(source, taken) / source
    let whole = times * (leastCommonMultiple(times * session, made) / (times * session))
    guard whole * source <= Self.widest * Int64(rates.source) else { return }
    (source, session, isExact) = (whole * source, whole * session, true)
  }

  /// Measures the resampler's blocks by passing it one frame at a time.
  ///
  /// - Returns: the number of input frames per block, or per few blocks if only that is a whole number, and the
  ///   greatest common divisor of all its outputs; nil if no such numbers are found.
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
    // The first outputs are irregular, while the resampler's filter is being filled.
    bursts.removeFirst(2)
    let made = bursts.map(\.made).reduce(0, greatestCommonDivisor)
    for blocks in 1...4 {
      let gaps = zip(bursts, bursts.dropFirst(blocks)).map { $1.at - $0.at }
      if let taken = gaps.first, gaps.allSatisfy({ $0 == taken }) { return (taken, made) }
    }
    return nil
  }
}

func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 { b == 0 ? a : greatestCommonDivisor(b, a % b) }

private func leastCommonMultiple(_ a: Int64, _ b: Int64) -> Int64 { a / greatestCommonDivisor(a, b) * b }
