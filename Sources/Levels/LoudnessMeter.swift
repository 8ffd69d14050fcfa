import CEbur128
package import Engine
import Glibc
import Signal

/// Weights frames by ITU-R BS.1770, and finds their true peak with libebur128. Used by one thread at a time.
package final class LoudnessMeter {
  private var weighting: LoudnessWeighting
  private let channels: Int
  /// Frames since the last step.
  private var count = 0
  /// What finds the true peak; nil if nobody asks for it.
  private var peaks: UnsafeMutablePointer<ebur128_state>?
  /// The left channel of a mono sound.
  private var mono: [Float] = []

  /// - Parameters:
  ///   - channels: 1 measures the left channel only.
  ///   - findsPeak: whether the true peak is measured, which takes many times as long as everything else.
  /// - Throws: why libebur128 can't be used for the true peak, with the package that is missing.
  init(rate: Int, channels: Int, findsPeak: Bool) throws(LibraryFailure) {
    (weighting, self.channels) = (LoudnessWeighting(rate: rate), channels)
    guard findsPeak else { return }
    if let failure = Self.failure { throw failure }
    peaks = ebur128_init(UInt32(channels), UInt(rate), Int32(EBUR128_MODE_TRUE_PEAK.rawValue))
    if peaks == nil { throw LibraryFailure(shortageOf: "libebur128") }
  }

  deinit { if peaks != nil { ebur128_destroy(&peaks) } }

  /// Why libebur128 can't be loaded; nil if it is loaded, which each call tries.
  package static var failure: LibraryFailure? {
    LibraryFailure(prosper_ebur128_failure(), of: "libebur128", in: "the package libebur128-1")
  }

  func add(_ frames: UnsafeBufferPointer<Frame>) {
    weighting.add(frames)
    count += frames.count
    if let peaks { add(frames, to: peaks) }
  }

  private func add(_ frames: UnsafeBufferPointer<Frame>, to peaks: UnsafeMutablePointer<ebur128_state>) {
    guard let base = frames.baseAddress else { return }
    if channels == 1 {
      mono.removeAll(keepingCapacity: true)
      mono.append(contentsOf: frames.lazy.map(\.left))
      _ = ebur128_add_frames_float(peaks, mono, mono.count)
    } else {
      base.withMemoryRebound(to: Float.self, capacity: 2 * frames.count) {
        _ = ebur128_add_frames_float(peaks, $0, frames.count)
      }
    }
  }

  /// Ends a step, and returns its mean power with the weighting of the loudness, which is 1 for a loudness of −0.691 LUFS,
  /// and the sum of the squares of its samples.
  func endStep() -> (power: Double, energy: Double) {
    defer { (weighting.energy, weighting.plain, count) = (.zero, .zero, 0) }
    return (sum(weighting.energy) / Double(max(1, count)), sum(weighting.plain))
  }

  private func sum(_ channels: SIMD2<Double>) -> Double {
    self.channels == 1 ? channels[0] : channels.sum()
  }

  /// The loudness in LUFS of a mean power.
  static func loudness(ofPower power: Double) -> Double { 10 * log10(power) - offset }
  /// The constant of ITU-R BS.1770 that makes the weighting neutral at 997 Hz.
  static let offset = 0.691

  /// The largest magnitude so far, oversampled four times (twice from 96 kHz on), as a factor; 0 if it is not measured.
  var truePeak: Double {
    guard let peaks else { return 0 }
    return (0..<channels).map { channel in
      var peak = 0.0
      return ebur128_true_peak(peaks, UInt32(channel), &peak) == 0 ? peak : 0
    }.max() ?? 0
  }
}
