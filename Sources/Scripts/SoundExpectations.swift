package import Engine
import Levels
import Markup
import Schedule
import SessionFiles
package import Signal
import Synchronization

/// Measures the spans of a render about which a script expects something, and compares them at the end.
package final class SoundExpectations: FrameObserver, Sendable {
  private struct Span {
    var facts: ExpectedSound
    /// In frames of session time.
    var range: Range<FrameTime>
    var meter: SoundMeter
    /// The bus of the layer; nil for the output.
    var bus: Bus?
    /// Whether it is the whole output.
    var isWhole: Bool { facts.from == nil }
  }

  /// Whether a layer is measured.
  package let observesBuses: Bool
  private let spans: Mutex<[Span]>
  private let rate: SampleRate

  /// - Parameters:
  ///   - facts: what the script expects.
  ///   - rate: that of the session.
  /// - Throws: why libebur128 can't be used.
  package init(_ facts: [ExpectedSound], at rate: SampleRate) throws(LibraryFailure) {
    self.rate = rate
    var spans: [Span] = []
    for facts in facts {
      var measures: LoudnessMeter.Measures = [.integrated]
      if facts.bounds[.loudness] != nil { measures.insert(.trace) }
      if facts.bounds[.truePeak] != nil { measures.insert(.truePeak) }
      let begin = rate.frames(facts.from ?? 0)
      spans.append(
        Span(
          facts: facts, range: begin..<(facts.to.map { max(begin, rate.frames($0)) } ?? .endless),
          meter: try SoundMeter(measures, rate: rate.hertz), bus: facts.layer.map(Self.bus)))
    }
    let made = spans
    observesBuses = spans.contains { $0.bus != nil }
    self.spans = Mutex(made)
  }

  private static func bus(of layer: Layer) -> Bus {
    switch layer {
    case .music: .music
    case .overlay: .overlays
    case .effect: .effects
    }
  }

  package func heard(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime?) { add(frames, of: nil, at: frame) }

  package func mixed(_ frames: UnsafeBufferPointer<Frame>, of bus: Bus, at frame: FrameTime) {
    add(frames, of: bus, at: frame)
  }

  /// A render never rewinds.
  package func rewound(to frame: FrameTime) {}

  private func add(_ frames: UnsafeBufferPointer<Frame>, of bus: Bus?, at frame: FrameTime?) {
    // A copy, because what is behind the lock must not keep a reference to the mixer's memory.
    let block = Array(frames)
    spans.withLock { spans in
      for span in spans where span.bus == bus {
        if span.isWhole, bus == nil { span.meter.add(block[...]) }
        guard !span.isWhole || bus != nil, let frame else { continue }
        let begin = min(max(0, span.range.lowerBound - frame), FrameCount(block.count))
        let end = min(max(begin, span.range.upperBound - frame), FrameCount(block.count))
        if begin < end { span.meter.add(block[Int(begin)..<Int(end)]) }
      }
    }
  }

  /// One line for each expectation that does not hold. Called after the render; nothing is measured afterwards.
  package var failures: [String] {
    spans.withLock { spans in
      defer { spans.removeAll() }
      return spans.flatMap { span in
        let levels = span.meter.finish()
        return ExpectedSound.Measure.allCases.compactMap { measure in
          span.facts.failure(of: measure, levels, span.meter.trace)
        }
      }
    }
  }
}

extension ExpectedSound {
  /// The line for a value that is not as expected; nil if it is, or if nothing is expected of it.
  ///
  /// - Parameter trace: the momentary loudness every 0.1 s.
  fileprivate func failure(of measure: Measure, _ levels: SoundLevels, _ trace: [Float]) -> String? {
    guard let bounds = bounds[measure] else { return nil }
    let found = Self.value(of: measure, levels)
    // Decimal fractions are not exact in binary.
    if bounds.lowerBound - 1e-9 <= found, found <= bounds.upperBound + 1e-9 { return nil }
    let wanted = Self.text(bounds, measure)
    return "\(location): expected \(measure.rawValue) \(wanted), found \(Self.text(found, measure))\(measure.unit)"
      + nearest(measure, bounds, levels, trace) + " (\(place))"
  }

  private static func value(of measure: Measure, _ levels: SoundLevels) -> Double {
    switch measure {
    case .loudness: levels.integrated
    case .truePeak: levels.truePeak ?? levels.samplePeak
    case .peak: levels.samplePeak
    case .rms: levels.rms
    case .silence: levels.longestSilence
    case .clipped: Double(levels.fullScaleSamples)
    case .length: levels.seconds
    }
  }

  /// Where the value was nearest to what was expected, or where it was found.
  private func nearest(
    _ measure: Measure, _ bounds: ClosedRange<Double>, _ levels: SoundLevels, _ trace: [Float]
  ) -> String {
    switch measure {
    case .loudness:
      let distances = trace.map { max(bounds.lowerBound - Double($0), Double($0) - bounds.upperBound) }
      guard let index = distances.indices.min(by: { distances[$0] < distances[$1] }), distances[index].isFinite else {
        return ""
      }
      return ", nearest \(Level.text(Double(trace[index]))) LUFS at \(time(Double(index + 1) / 10))"
    case .truePeak, .peak: return levels.samplePeak.isFinite ? ", at \(time(levels.samplePeakAt))" : ""
    case .silence: return 0 < levels.longestSilence ? ", from \(time(levels.longestSilenceAt))" : ""
    case .rms, .clipped, .length: return ""
    }
  }

  /// The session time of a second of the span.
  private func time(_ second: Double) -> String { Self.clock((from ?? 0) + second) }

  /// The span and layer, in words.
  var place: String {
    let what =
      layer.flatMap { layer in Session.layerKeys.first { $0.layer == layer }?.key }.map { " of the \($0)" } ?? ""
    guard let from else { return "the whole output\(what)" }
    return "from \(Self.clock(from)) to \(to.map(Self.clock) ?? "the end")\(what)"
  }

  private static func clock(_ seconds: Double) -> String {
    let tenths = Int64((seconds * 10).rounded())
    let (minutes, rest) = (tenths / 600, tenths % 600)
    let second = "\(rest / 10 < 10 ? "0" : "")\(rest / 10)" + (rest % 10 == 0 ? "" : ".\(rest % 10)")
    return "\(minutes):\(second)"
  }

  private static func text(_ bounds: ClosedRange<Double>, _ measure: Measure) -> String {
    let (low, high) = (text(bounds.lowerBound, measure), text(bounds.upperBound, measure))
    if bounds.lowerBound == -.infinity { return "up to \(high)\(measure.unit)" }
    if bounds.upperBound == .infinity { return "from \(low)\(measure.unit)" }
    return low == high ? "\(low)\(measure.unit)" : "from \(low) to \(high)\(measure.unit)"
  }

  private static func text(_ value: Double, _ measure: Measure) -> String {
    switch measure {
    case .clipped: value.isFinite ? "\(Int64(value))" : "\(value)"
    case .silence, .length: Spelling.decimal(value, digits: 3)
    default: Level.text(value)
    }
  }
}
