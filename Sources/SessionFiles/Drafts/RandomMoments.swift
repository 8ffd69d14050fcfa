import Signal

/// Random moments within a length of time, with a minimum distance from each other and from both ends. The same seed
/// gives the same moments on every machine.
package struct RandomMoments {
  /// The moments in ascending order, in seconds, rounded down to tenths.
  package let seconds: [Double]

  /// The largest distance in seconds if none is asked for. With a larger one, the moments of a long sit would be
  /// predictable.
  private static let distance = 60.0

  /// Why moments don't fit.
  package struct NoRoom: Error, Hashable {
    /// How many fit; 0 if none does.
    package var fitting: Int
    /// Seconds between those that fit.
    package var distance: Double
  }

  /// - Parameters:
  ///   - length: the time in seconds.
  ///   - minimum: the smallest distance in seconds, which is rounded up to tenths; nil for a minute, or less if the
  ///     distances would otherwise take more than a quarter of the time.
  /// - Throws: if so many don't fit; without `minimum`, if they would be less than a second apart.
  package init(count: Int, within length: Double, minimum: Double? = nil, seed: UInt64) throws(NoRoom) {
    let gaps = Double(count) + 1
    let tenths: Double
    if let minimum {
      tenths = max(1, (minimum * 10 - 1e-6).rounded(.up))
      guard gaps * tenths <= (length * 10 + 1e-6).rounded(.down) else {
        throw NoRoom(fitting: Self.fitting(length * 10 / tenths), distance: tenths / 10)
      }
    } else {
      // The rest is divided at random.
      tenths = min(Self.distance * 10, (length / 4 / gaps * 10).rounded(.down))
      guard 10 <= tenths else { throw NoRoom(fitting: Self.fitting(length / 4), distance: 1) }
    }
    guard 0 < count, count <= Session.Limit.cues / 2 else {
      throw NoRoom(fitting: Session.Limit.cues / 2, distance: tenths / 10)
    }
    var random = SplitMix(seed: seed)
    let room = max(0, length - gaps * tenths / 10)
    let sorted = (0..<count).map { _ in random.fraction() * room }.sorted()
    // Counted in tenths, so that rounding keeps the distances.
    seconds = sorted.enumerated().map { index, moment in
      ((moment * 10).rounded(.down) + Double(index + 1) * tenths) / 10
    }
  }

  /// The shortest time in seconds into which so many moments fit.
  package static func room(for count: Int, minimum: Double?) -> Double {
    let gaps = Double(count) + 1
    return minimum.map { gaps * max(1, ($0 * 10 - 1e-6).rounded(.up)) / 10 } ?? 4 * gaps
  }

  /// How many moments fit if the time is so many distances long.
  private static func fitting(_ distances: Double) -> Int {
    Int(max(0, min(Double(Session.Limit.cues / 2), (distances + 1e-6).rounded(.down) - 1)))
  }
}
