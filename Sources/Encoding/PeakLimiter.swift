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
  /// The weights of the frames for three positions within an interval.
  private static let weights: [[Float]] = (1...3).map { phase in
    (0..<(2 * reach)).map { index in
      let x = Double(index - reach + 1) - Double(phase) / 4
      let (sinc, edge) = (sin(.pi * x) / (.pi * x), x / Double(reach))
      return Float(sinc * bessel(8 * sqrt(max(0, 1 - edge * edge))) / bessel(8))
    }
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
    let (reach, ceiling) = (Self.reach, ceiling)
    let loudest = frames.reduce(into: 0 as Float) { $0 = max($0, $1.peak) }
    if loudest * Self.overshoot <= ceiling {
      gains.append(contentsOf: repeatElement(1, count: count))
      return
    }
    frames.withUnsafeBufferPointer { frames in
      for index in 0..<count {
        var peak = frames[index + reach - 1].peak
        for weights in Self.weights {
          var (left, right) = (0 as Float, 0 as Float)
          weights.withUnsafeBufferPointer { weights in
            for tap in 0..<(2 * reach) {
              left += weights[tap] * frames[index + tap].left
              right += weights[tap] * frames[index + tap].right
            }
          }
          peak = max(peak, abs(left), abs(right))
        }
        gains.append(ceiling < peak ? ceiling / peak : 1)
      }
    }
  }
}
