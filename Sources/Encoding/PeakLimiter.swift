import Engine
import Glibc
import Signal

/// Applies a constant gain, and limits what is then above a ceiling, between the samples too. Used by one thread.
///
/// Peaks between the samples are found at four times the rate: three further values between two frames, each the sum of
/// 24 frames weighted by a sinc function with a Kaiser window.
struct PeakLimiter: ~Copyable {
  private var limiter: Limiter
  private let gain: Float
  private let ceiling: Float
  /// Scaled frames: those that were processed before, which the next peaks need, and those that follow.
  private var frames: [Frame]
  private var gains: [Float] = []
  private var output: [Frame] = []
  /// Frames that have left the limiter, silence before the first one included.
  private var left: FrameCount = 0
  /// The lowest gain so far, and the frame that it applies to.
  private(set) var leastGain = 1.0
  private(set) var leastAt: FrameTime = 0

  /// Frames on each side of the interval in which peaks are sought.
  private static let reach = 12
  /// How far a peak can be above the samples around it: the largest sum of the magnitudes of the weights, rounded up.
  private static let overshoot: Float = 2.5
  /// The same in decibels.
  static let mostBetweenSamples = 20 * log10(Double(overshoot))
  /// The positions within an interval at which peaks are sought.
  private static let phases = 3
  /// The weights of the frames for each of these positions, of four frames at a time, each twice for both channels.
  private let weights: [SIMD8<Float>] = (1...phases).flatMap { phase in
    stride(from: 0, to: 2 * reach, by: 4).map { first in
      SIMD8((0..<8).map { weight(ofFrame: first + $0 / 2, phase) })
    }
  }

  private static func weight(ofFrame index: Int, _ phase: Int) -> Float {
    let x = Double(index - reach + 1) - Double(phase) / 4
    let (sinc, edge) = (sin(.pi * x) / (.pi * x), x / Double(reach))
    return Float(sinc * bessel(8 * sqrt(max(0, 1 - edge * edge))) / bessel(8))
  }

  /// The modified Bessel function of the first kind of order 0, by its power series.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for index in 1..<40 {
      term *= (x / 2 / Double(index)) * (x / 2 / Double(index))
      sum += term
    }
    return sum
  }

  /// - Parameters:
  ///   - gain: in decibels.
  ///   - ceiling: the largest peak in decibels relative to full scale.
  init(rate: SampleRate, gain: Double, ceiling: Double) {
    limiter = Limiter(rate: rate)
    self.gain = Float(pow(10, gain / 20))
    self.ceiling = Float(pow(10, ceiling / 20))
    frames = Array(repeating: .silence, count: Self.reach - 1)
  }

  /// How many frames it has lowered.
  var limitedFrames: FrameCount { limiter.limitedFrames }
  /// Frames of silence that have to follow the last frame.
  var delay: Int { limiter.delay + Self.reach }

  /// Processes frames.
  ///
  /// - Parameter take: receives the frames that are complete.
  mutating func process(
    _ block: UnsafeBufferPointer<Frame>, _ take: (UnsafeBufferPointer<Frame>) throws(SinkError) -> Void
  ) throws(SinkError) {
    frames.append(contentsOf: block.lazy.map { [gain] in $0 * gain })
    let count = frames.count - (2 * Self.reach - 1)
    if count <= 0 { return }
    findGains(count)
    output.removeAll(keepingCapacity: true)
    output.append(contentsOf: frames[(Self.reach - 1)..<(Self.reach - 1 + count)])
    var (least, leastAt, position) = (leastGain, leastAt, left - FrameCount(limiter.delay))
    output.withUnsafeMutableBufferPointer { output in
      gains.withUnsafeBufferPointer { gains in
        guard let output = output.baseAddress, let gains = gains.baseAddress else { return }
        limiter.process(output, needing: gains, count: count) { applied in
          if applied < least { (least, leastAt) = (applied, position) }
          position += 1
        }
      }
    }
    (leastGain, self.leastAt) = (least, max(0, leastAt))
    // The first frames that leave the limiter are silence from before the beginning.
    let silent = Int(min(FrameCount(count), max(0, FrameCount(limiter.delay) - left)))
    left += FrameCount(count)
    frames.removeFirst(count)
    try output.withUnsafeBufferPointer { (output) throws(SinkError) in
      try take(UnsafeBufferPointer(rebasing: output[silent...]))
    }
  }

  /// Finds the gain that each of the next frames needs.
  private mutating func findGains(_ count: Int) {
    gains.removeAll(keepingCapacity: true)
    gains.reserveCapacity(count)
    let (reach, ceiling, frames) = (Self.reach, ceiling, frames)
    let loudest = frames.reduce(into: 0 as Float) { $0 = max($0, $1.peak) }
    if loudest * Self.overshoot <= ceiling {
      gains.append(contentsOf: repeatElement(1, count: count))
      return
    }
    frames.withUnsafeBytes { bytes in
      weights.withUnsafeBufferPointer { weights in
        for index in 0..<count {
          let peak = max(frames[index + reach - 1].peak, Self.peak(after: index, bytes, weights))
          gains.append(ceiling < peak ? ceiling / peak : 1)
        }
      }
    }
  }

  /// The largest magnitude between two frames of both channels.
  ///
  /// - Parameter index: the first frame that has a weight.
  private static func peak(
    after index: Int, _ frames: UnsafeRawBufferPointer, _ weights: UnsafeBufferPointer<SIMD8<Float>>
  ) -> Float {
    var largest: Float = 0
    let parts = 2 * reach / 4
    for phase in 0..<phases {
      var sum = SIMD8<Float>.zero
      for part in 0..<parts {
        let offset = (index + 4 * part) * MemoryLayout<Frame>.stride
        sum += weights[phase * parts + part] * frames.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
      }
      let half = sum.lowHalf + sum.highHalf
      let peak = half.lowHalf + half.highHalf
      largest = max(largest, abs(peak.x), abs(peak.y))
    }
    return largest
  }
}
