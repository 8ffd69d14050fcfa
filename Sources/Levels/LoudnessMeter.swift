import CEbur128
package import Engine
import Glibc
import Signal

/// Weights frames by ITU-R BS.1770 with libebur128, and finds their true peak. Used by one thread at a time.
package final class LoudnessMeter {
  private var state: UnsafeMutablePointer<ebur128_state>?
  private let channels: Int
  /// The left channel of a mono sound.
  private var mono: [Float] = []

  /// - Parameters:
  ///   - channels: 1 measures the left channel only.
  ///   - findsPeak: whether the true peak is measured, which takes several times as long as everything else.
  /// - Throws: why libebur128 can't be used, with the package that is missing.
  init(rate: Int, channels: Int, findsPeak: Bool) throws(LibraryFailure) {
    if let failure = Self.failure { throw failure }
    var mode = EBUR128_MODE_M.rawValue
    if findsPeak { mode |= EBUR128_MODE_TRUE_PEAK.rawValue }
    self.channels = channels
    state = ebur128_init(UInt32(channels), UInt(rate), Int32(mode))
    if state == nil { throw LibraryFailure(shortageOf: "libebur128") }
  }

  deinit { ebur128_destroy(&state) }

  /// Why libebur128 can't be loaded; nil if it is loaded, which each call tries.
  package static var failure: LibraryFailure? {
    LibraryFailure(prosper_ebur128_failure(), of: "libebur128", in: "the package libebur128-1")
  }

  func add(_ frames: UnsafeBufferPointer<Frame>) {
    guard let base = frames.baseAddress else { return }
    if channels == 1 {
      mono.removeAll(keepingCapacity: true)
      mono.append(contentsOf: frames.lazy.map(\.left))
      _ = ebur128_add_frames_float(state, mono, mono.count)
    } else {
      base.withMemoryRebound(to: Float.self, capacity: 2 * frames.count) {
        _ = ebur128_add_frames_float(state, $0, frames.count)
      }
    }
  }

  /// The loudness of the last 0.4 s in LUFS.
  var momentary: Double { value(ebur128_loudness_momentary) }
  /// The mean power of the last 0.1 s with the weighting of the loudness: of a loudness of −0.691 LUFS it is 1.
  var stepPower: Double {
    let loudness = value { ebur128_loudness_window($0, 100, $1) }
    return loudness.isFinite ? pow(10, (loudness + Self.offset) / 10) : 0
  }
  /// The loudness in LUFS of a mean power.
  static func loudness(ofPower power: Double) -> Double { 10 * log10(power) - offset }
  /// The constant of ITU-R BS.1770 that makes the weighting neutral at 997 Hz.
  static let offset = 0.691

  /// The largest magnitude so far, oversampled four times (twice from 96 kHz on), as a factor; 0 if it is not measured.
  var truePeak: Double {
    (0..<channels).map { channel in
      var peak = 0.0
      return ebur128_true_peak(state, UInt32(channel), &peak) == 0 ? peak : 0
    }.max() ?? 0
  }

  private typealias Query = (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32

  private func value(_ query: Query) -> Double {
    var value = -Double.infinity
    return query(state, &value) == 0 ? value : -.infinity
  }
}
