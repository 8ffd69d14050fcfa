import CEbur128
package import Engine
import Glibc
package import Signal

/// Measures the loudness of frames by EBU R128 with libebur128. Used by one thread at a time.
package final class LoudnessMeter {
  /// What is measured. Each costs time: the true peak four times as much as all others together.
  package struct Measures: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The integrated loudness, and the momentary one.
    package static let integrated = Measures(rawValue: 1)
    package static let shortTerm = Measures(rawValue: 2)
    package static let range = Measures(rawValue: 4)
    package static let truePeak = Measures(rawValue: 8)
    /// The momentary loudness every 0.1 s.
    package static let trace = Measures(rawValue: 16)
    package static let all: Measures = [.integrated, .shortTerm, .range, .truePeak]
  }

  private var state: UnsafeMutablePointer<ebur128_state>?
  private let channels: Int
  /// The left channel of a mono sound.
  private var mono: [Float] = []

  /// - Parameters:
  ///   - channels: 1 measures the left channel only.
  /// - Throws: why libebur128 can't be used, with the package that is missing.
  package init(_ measures: Measures, rate: Int, channels: Int = 2) throws(LibraryFailure) {
    if let failure = Self.failure { throw failure }
    var mode = EBUR128_MODE_I.rawValue
    if measures.contains(.shortTerm) { mode |= EBUR128_MODE_S.rawValue }
    if measures.contains(.range) { mode |= EBUR128_MODE_LRA.rawValue }
    if measures.contains(.truePeak) { mode |= EBUR128_MODE_TRUE_PEAK.rawValue }
    self.channels = channels
    state = ebur128_init(UInt32(channels), UInt(rate), Int32(mode))
    if state == nil { throw LibraryFailure(shortageOf: "libebur128") }
  }

  deinit { ebur128_destroy(&state) }

  /// Why libebur128 can't be loaded; nil if it is loaded, which each call tries.
  package static var failure: LibraryFailure? {
    LibraryFailure(prosper_ebur128_failure(), of: "libebur128", in: "the package libebur128-1")
  }

  package func add(_ frames: UnsafeBufferPointer<Frame>) {
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

  /// The loudness of everything so far in LUFS, without its quiet parts (gated at −70 LUFS, and 10 LU below the loudness
  /// of what is above that); −∞ if nothing is louder.
  package var integrated: Double { value(ebur128_loudness_global) }
  /// The loudness of the last 0.4 s in LUFS.
  package var momentary: Double { value(ebur128_loudness_momentary) }
  /// The loudness of the last 3 s in LUFS, if `shortTerm` is measured.
  package var shortTerm: Double { value(ebur128_loudness_shortterm) }
  /// The mean power of the last 0.1 s with the weighting of the loudness: of a loudness of −0.691 LUFS it is 1.
  package var stepPower: Double {
    let loudness = value { ebur128_loudness_window($0, 100, $1) }
    return loudness.isFinite ? pow(10, (loudness + Self.offset) / 10) : 0
  }
  /// The loudness in LUFS of a mean power.
  package static func loudness(ofPower power: Double) -> Double { 10 * log10(power) - offset }
  /// The constant of ITU-R BS.1770 that makes the weighting neutral at 997 Hz.
  private static let offset = 0.691
  /// The loudness range of everything so far in LU, if it is measured.
  package var range: Double { max(0, value(ebur128_loudness_range)) }

  /// The largest magnitude so far, oversampled four times (twice from 96 kHz on), as a factor; 0 if it is not measured.
  package var truePeak: Double {
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
