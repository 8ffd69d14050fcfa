import Glibc
package import Signal

/// Compares two sounds of which the second one is shifted, where they differ. Used by one thread at a time.
package final class ShiftCheck {
  private let rate: Int
  private let lag: FrameCount
  private let region: Range<Int>
  private let difference: Double
  /// The frames of A that are compared.
  private let range: Range<FrameCount>
  /// The frames of the sound that comes first, until those of the other one come.
  private var (waitingA, waitingB) = (ArraySlice<Frame>(), ArraySlice<Frame>())
  /// The next frame of A that is compared.
  private var position: FrameCount = 0
  /// The number of frames so far.
  private var total: FrameCount = 0
  /// How many frames of B still precede A.
  private var left: FrameCount
  private var powers = ComparedPowers()
  /// The powers of what the shift moves out of the region, and so has no counterpart.
  private var alone = 0.0

  /// - Parameters:
  ///   - search: has found the lag.
  ///   - lag: by how many frames B is later.
  package init(_ search: ShiftSearch, rate: Int, lag: FrameCount) {
    (self.rate, self.lag, region, difference) = (rate, lag, search.region, search.difference)
    let (begin, end) = (region.lowerBound * rate / 10, region.upperBound * rate / 10)
    let first = FrameCount(begin) + max(0, -lag)
    range = first..<max(first, FrameCount(end) - max(0, lag))
    left = max(0, lag)
    // B begins in the middle of A, so silence precedes it.
    waitingB = ArraySlice(repeating: .silence, count: Int(max(0, -lag)))
  }

  /// Adds the next frames of both sounds, of which one may have ended.
  package func add(_ a: UnsafeBufferPointer<Frame>, _ b: UnsafeBufferPointer<Frame>) {
    addAlone(a, b)
    let skipped = min(left, FrameCount(b.count))
    left -= skipped
    waitingA += a
    waitingB += b[Int(skipped)...]
    // Silence follows the sound that has ended.
    waitingA += repeatElement(.silence, count: max(0, b.count - a.count))
    waitingB += repeatElement(.silence, count: max(0, a.count - b.count))
    let count = min(waitingA.count, waitingB.count)
    compare(count)
    waitingA = waitingA.dropFirst(count)
    waitingB = waitingB.dropFirst(count)
  }

  private func addAlone(_ a: UnsafeBufferPointer<Frame>, _ b: UnsafeBufferPointer<Frame>) {
    let (begin, end) = (FrameCount(region.lowerBound * rate / 10), FrameCount(region.upperBound * rate / 10))
    let (first, last) = (begin..<min(end, begin + abs(lag)), max(begin, end - abs(lag))..<end)
    alone += Self.power(of: a, from: total, in: lag < 0 ? first : last)
    alone += Self.power(of: b, from: total, in: lag < 0 ? last : first)
    total += FrameCount(max(a.count, b.count))
  }

  private static func power(
    of frames: UnsafeBufferPointer<Frame>, from position: FrameCount, in range: Range<FrameCount>
  ) -> Double {
    let common = range.clamped(to: position..<(position + FrameCount(frames.count)))
    var power = 0.0
    for index in Int(common.lowerBound - position)..<Int(common.upperBound - position) {
      let (left, right) = (Double(frames[index].left), Double(frames[index].right))
      power += left * left + right * right
    }
    return power
  }

  private func compare(_ count: Int) {
    let common = range.clamped(to: position..<(position + FrameCount(count)))
    let part = Int(common.lowerBound - position)..<Int(common.upperBound - position)
    position += FrameCount(count)
    if common.isEmpty { return }
    waitingA.withUnsafeBufferPointer { a in
      waitingB.withUnsafeBufferPointer { b in
        _ = powers.add(
          UnsafeBufferPointer(rebasing: a[part]), UnsafeBufferPointer(rebasing: b[part]), above: .infinity)
      }
    }
  }

  /// The shift, and a gain if there is one, too; nil if they don't explain the difference. Called after the last frames.
  package var explanation: DifferenceExplanation? {
    guard 0 < powers.count else { return nil }
    let gain = powers.gain
    let rest = gain?.rest ?? powers.rms
    let samples = Double(2 * region.count * rate / 10)
    guard pow(10, rest / 10) * DifferenceExplanation.leastFactor <= difference,
      alone / samples * DifferenceExplanation.leastAloneFactor <= difference
    else { return nil }
    return DifferenceExplanation(
      decibels: gain?.decibels ?? 0, isInverted: gain?.isInverted ?? false, shift: Double(lag) / Double(rate),
      from: Double(region.lowerBound) / 10, to: Double(region.upperBound) / 10, rest: rest)
  }
}
