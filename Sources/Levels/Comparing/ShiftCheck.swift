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
  /// The next frame of A.
  private var position: FrameCount = 0
  /// How many frames of B still precede A.
  private var left: FrameCount
  private var powers = ComparedPowers()

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
    guard pow(10, rest / 10) * DifferenceExplanation.leastFactor <= difference else { return nil }
    return DifferenceExplanation(
      decibels: gain?.decibels ?? 0, shift: Double(lag) / Double(rate), from: Double(region.lowerBound) / 10, rest: rest)
  }
}
