import Foundation
import Signal
import Sounds
import TestSupport

/// The ranges in which two readings differ by more than `tolerance`, up to the end of the shorter one. Differences that
/// are less than a hundredth of a second apart count as one range.
func gaps(_ reading: [Frame], _ whole: [Frame], tolerance: Float = 0) -> [Range<Int>] {
  var ranges: [Range<Int>] = []
  for index in 0..<min(reading.count, whole.count) where reading[index] != whole[index] {
    let (a, b) = (reading[index], whole[index])
    if max(abs(a.left - b.left), abs(a.right - b.right)) <= tolerance { continue }
    if let last = ranges.last, index - last.upperBound < 480 {
      ranges[ranges.count - 1] = last.lowerBound..<index + 1
    } else {
      ranges.append(index..<index + 1)
    }
  }
  return ranges
}

/// Whether a gap is silent, except for a fade of 5 ms at its beginning and at its end.
func isSilent(_ frames: [Frame], _ gap: Range<Int>, rate: Int = 44_100) -> Bool {
  let ramp = rate / 200 + 1
  guard gap.lowerBound + ramp < gap.upperBound - ramp else { return true }
  return frames[gap.lowerBound + ramp..<gap.upperBound - ramp].allSatisfy { $0 == .silence }
}

/// Whether no step between two frames exceeds the largest step of the intact sound by more than a fade may add.
func hasNoClick(_ frames: [Frame], _ whole: [Frame], rate: Int = 44_100) -> Bool {
  let peak = whole.map(\.peak).max() ?? 0
  return largestStep(frames) <= largestStep(whole) + 2 * peak / Float(rate / 200)
}

private func largestStep(_ frames: [Frame]) -> Float {
  zip(frames, frames.dropFirst()).map { max(abs($1.left - $0.left), abs($1.right - $0.right)) }.max() ?? 0
}

/// A sound with small steps that never repeats: two sweeps over a few octaves.
func sweep(_ count: Int, rate: Int = 44_100) -> [Frame] {
  (0..<count).map { index in
    let second = Double(index) / Double(rate)
    let phase = 2 * Double.pi * (60 * second + 20 * second * second)
    return Frame(left: Float(0.5 * sin(phase)), right: Float(0.4 * sin(1.3 * phase + 1)))
  }
}

extension Array<UInt8> {
  /// A copy with all bits of some bytes inverted.
  func damaged(at places: Int..., count: Int = 50) -> [UInt8] {
    var bytes = self
    for place in places {
      for index in place..<Swift.min(place + count, bytes.count) { bytes[index] ^= 0xFF }
    }
    return bytes
  }
}
