package import Engine
import Glibc
import Signal

/// The sound of a session as it was heard: its loudness, and the level of each bus over time.
package struct SessionSound: Sendable {
  /// The level of a bus, in steps of the same length.
  package struct Trace: Sendable {
    /// The largest magnitude in each step.
    package fileprivate(set) var peaks: [Float] = []
    /// The mean of the squares of both channels in each step.
    package fileprivate(set) var powers: [Float] = []
  }

  /// The levels of the output.
  package fileprivate(set) var levels = SoundLevels()
  /// The momentary loudness in LUFS every 0.1 s, each over the 0.4 s before.
  package fileprivate(set) var momentary: [Float] = []
  /// The traces of the buses.
  package fileprivate(set) var traces: [Bus: Trace] = [:]
  /// The session time in seconds at which everything begins.
  package fileprivate(set) var start = 0.0
  /// The length of a step of `traces` in seconds.
  package fileprivate(set) var step = 0.0

  /// The frames of a step of the traces, before steps are joined.
  static func step(at rate: SampleRate) -> FrameCount { max(1, rate.frames(0.05)) }

  /// The integrated loudness of a span of session time in seconds, in LUFS; −∞ if nothing in it is loud enough.
  ///
  /// The momentary values are the blocks of 0.4 s, overlapping by three quarters, of ITU-R BS.1770-4, whose two gates are
  /// applied: −70 LUFS, and 10 LU below the loudness of what passes the first one.
  package func loudness(from begin: Double, to end: Double) -> Double {
    let first = max(0, Int(((begin - start) * 10).rounded()) + 3)
    let last = min(momentary.count, Int(((end - start) * 10).rounded()))
    guard first < last else { return -.infinity }
    let powers = momentary[first..<last].filter { -70 <= $0 }.map { pow(10, Double($0) / 10) }
    if powers.isEmpty { return -.infinity }
    let gate = powers.reduce(0, +) / Double(powers.count) / 10
    let loud = powers.filter { gate <= $0 }
    return 10 * log10(loud.reduce(0, +) / Double(loud.count))
  }

  /// The sound of a file that one gain and a limiter have made from this one. What the limiter took from single moments is
  /// not in the loudness of spans; the buses stay as they were mixed.
  ///
  /// - Parameters:
  ///   - levels: those of the file.
  ///   - gain: in decibels.
  package func levelled(to levels: SoundLevels, by gain: Double) -> SessionSound {
    var sound = self
    sound.levels = levels
    sound.momentary = momentary.map { $0 + Float(gain) }
    return sound
  }

  /// The level of a bus in a span of session time in seconds, as power; nil if nothing was rendered there.
  package func power(of bus: Bus, from begin: Double, to end: Double) -> Double? {
    guard let powers = traces[bus]?.powers, 0 < step else { return nil }
    let first = max(0, Int((begin - start) / step))
    let last = min(powers.count, Int(((end - start) / step).rounded(.up)))
    guard first < last else { return nil }
    return powers[first..<last].reduce(0) { $0 + Double($1) } / Double(last - first)
  }
}

extension SessionSound {
  /// Builds the sound from pieces in the order of their frames.
  struct Builder {
    private let meter: SoundMeter
    private let rate: SampleRate
    private let start: FrameTime
    private var traces: [[(peak: Float, energy: Double)]] = [[], [], []]
    /// Frames of each step of the traces.
    private var step: FrameCount

    /// The most steps of a trace. Then two steps become one.
    private static let mostSteps = 65_536

    init(at rate: SampleRate, from frame: FrameTime) throws(LibraryFailure) {
      meter = try SoundMeter(rate: rate.hertz)
      (self.rate, start) = (rate, frame)
      step = SessionSound.step(at: rate)
    }

    mutating func add(_ piece: SessionMeter.Piece, _ frames: [Frame]) {
      switch piece.kind {
      case .output: frames.withUnsafeBufferPointer { add($0, at: piece.frame) }
      case .music: add(piece, to: 0)
      case .overlays: add(piece, to: 1)
      case .effects: add(piece, to: 2)
      case .rewind: break
      }
    }

    /// Adds frames of the output.
    func add(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime) {
      // Frames that were not measured count as silence, so that the times after them stay right.
      var missing = frame - start - meter.count
      if 0 < missing {
        let silence = [Frame](repeating: .silence, count: rate.hertz)
        while 0 < missing {
          meter.add(silence[..<Int(min(missing, FrameCount(silence.count)))])
          missing = frame - start - meter.count
        }
      }
      meter.add(frames)
    }

    private mutating func add(_ piece: SessionMeter.Piece, to trace: Int) {
      while Self.mostSteps <= (piece.frame - start) / step { halve() }
      // The tap divides pieces at the steps.
      let index = Int((piece.frame - start) / step)
      guard 0 <= index else { return }
      while traces[trace].count <= index { traces[trace].append((0, 0)) }
      traces[trace][index].peak = max(traces[trace][index].peak, piece.peak)
      traces[trace][index].energy += Double(piece.energy)
    }

    private mutating func halve() {
      step *= 2
      traces = traces.map { trace in
        stride(from: 0, to: trace.count, by: 2).map { index in
          let second = index + 1 < trace.count ? trace[index + 1] : (0, 0)
          return (max(trace[index].peak, second.0), trace[index].energy + second.1)
        }
      }
    }

    func finish() -> SessionSound {
      var sound = SessionSound()
      sound.levels = meter.finish()
      sound.momentary = meter.trace
      (sound.start, sound.step) = (rate.seconds(start), rate.seconds(step))
      for (bus, trace) in zip([Bus.music, .overlays, .effects], traces) {
        let frames = Double(step) * 2
        sound.traces[bus] = Trace(peaks: trace.map(\.peak), powers: trace.map { Float($0.energy / frames) })
      }
      return sound
    }
  }
}
