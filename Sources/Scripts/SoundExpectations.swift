package import Engine
import Levels
import Markup
package import Player
import Schedule
import SessionFiles
package import Signal
package import Sounds
import Synchronization

/// Measures the spans of a render about which a script expects something, and compares them at the end.
///
/// A file that does not have the frames of the render, because it was levelled or has other channels, is decoded and
/// measured in their place.
package final class SoundExpectations: FrameObserver, Sendable {
  fileprivate struct Span {
    let facts: ExpectedSound
    /// In frames of session time.
    let range: Range<FrameTime>
    /// The bus of the layer; nil for the output.
    let bus: Bus?
    var meter: SoundMeter
    /// Whether it is the whole output.
    var isWhole: Bool { facts.from == nil }

    init(_ facts: ExpectedSound, at rate: SampleRate, channels: Int) throws(LibraryFailure) {
      self.facts = facts
      let begin = rate.frames(facts.from ?? 0)
      range = begin..<(facts.to.map { max(begin, rate.frames($0)) } ?? .endless)
      bus = facts.layer.map(SoundExpectations.bus)
      meter = try SoundMeter(
        rate: rate.hertz, channels: channels, findsPeak: facts.bounds[.truePeak] != nil)
    }
  }

  /// Frames of the output that follow each other in session time, too.
  fileprivate struct Run {
    var count: FrameCount
    /// The frame of session time of the first one; nil for silence that is no part of the session.
    let frame: FrameTime?
  }

  fileprivate struct State {
    var spans: [Span] = []
    var runs: [Run] = []
  }

  /// The buses of the layers that are measured.
  private let buses: Set<Bus>
  package var observesBuses: Bool { !buses.isEmpty }
  private let state: Mutex<State>
  private let rate: SampleRate

  /// - Parameters:
  ///   - facts: what the script expects.
  ///   - rate: that of the session.
  /// - Throws: why libebur128 can't be used.
  package init(_ facts: [ExpectedSound], at rate: SampleRate) throws(LibraryFailure) {
    self.rate = rate
    var made = State()
    for facts in facts { made.spans.append(try Span(facts, at: rate, channels: 2)) }
    buses = Set(made.spans.compactMap(\.bus))
    state = Mutex(made)
  }

  fileprivate static func bus(of layer: Layer) -> Bus {
    switch layer {
    case .music: .music
    case .overlay: .overlays
    case .effect: .effects
    }
  }

  package func heard(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime?) {
    // A copy, because what is behind the lock must not keep a reference to the mixer's memory.
    let block = Array(frames)
    state.withLock { state in
      state.note(FrameCount(block.count), at: frame)
      state.add(block[...], of: nil, at: frame)
    }
  }

  package func mixed(_ frames: UnsafeBufferPointer<Frame>, of bus: Bus, at frame: FrameTime) {
    guard buses.contains(bus) else { return }
    let block = Array(frames)
    state.withLock { $0.add(block[...], of: bus, at: frame) }
  }

  /// A render never rewinds.
  package func rewound(to frame: FrameTime) {}

  /// Measures the file that was written, in place of the frames of the render. Waits for the disk. Layers keep what was
  /// measured of them.
  ///
  /// - Parameters:
  ///   - decoder: reads the whole file, at the rate of the session.
  ///   - channels: those of the file.
  /// - Throws: why libebur128 can't be used.
  package func measure(_ decoder: any Decoder, channels: Int) throws(LibraryFailure) {
    try state.withLock { (state) throws(LibraryFailure) in
      for index in state.spans.indices where state.spans[index].bus == nil {
        state.spans[index] = try Span(state.spans[index].facts, at: rate, channels: channels)
      }
      // What an encoder adds at the end belongs to the output, too.
      for run in state.runs + [Run(count: .endless, frame: nil)] { state.add(run, from: decoder) }
    }
  }

  /// The expectations that don't hold. Called after the render; nothing is measured afterwards.
  package var failures: [ScriptFailure] {
    state.withLock { state in
      defer { state = State() }
      return state.spans.flatMap { span in
        if span.meter.count == 0, !span.isWhole {
          return [ScriptFailure(at: "\(span.facts.location)", "the span was not played (\(span.facts.place))")]
        }
        let levels = span.meter.finish()
        return ExpectedSound.Measure.allCases.compactMap { measure in
          span.facts.failure(of: measure, levels, span.meter.trace)
        }
      }
    }
  }
}

extension SoundExpectations.State {
  /// Keeps to which session time frames of the output belong.
  fileprivate mutating func note(_ count: FrameCount, at frame: FrameTime?) {
    if count == 0 { return }
    if let last = runs.last, last.frame.map({ $0 + last.count }) == frame {
      runs[runs.count - 1].count += count
    } else {
      runs.append(SoundExpectations.Run(count: count, frame: frame))
    }
  }

  /// Adds the next frames of a file to the spans in which they are.
  fileprivate func add(_ run: SoundExpectations.Run, from decoder: any Decoder) {
    var frames = [Frame](repeating: .silence, count: 16_384)
    var done: FrameCount = 0
    while done < run.count {
      let wanted = Int(min(FrameCount(frames.count), run.count - done))
      let read = frames.withUnsafeMutableBufferPointer { buffer in
        decoder.read(into: UnsafeMutableBufferPointer(rebasing: buffer[..<wanted]))
      }
      add(frames[..<read], of: nil, at: run.frame.map { $0 + done })
      done += FrameCount(read)
      if read < wanted { return }
    }
  }

  /// Adds frames to the spans in which they are.
  fileprivate func add(_ block: ArraySlice<Frame>, of bus: Bus?, at frame: FrameTime?) {
    for span in spans where span.bus == bus {
      if span.isWhole, bus == nil { span.meter.add(block) }
      guard !span.isWhole || bus != nil, let frame else { continue }
      let begin = min(max(0, span.range.lowerBound - frame), FrameCount(block.count))
      let end = min(max(begin, span.range.upperBound - frame), FrameCount(block.count))
      if begin < end { span.meter.add(block[(block.startIndex + Int(begin))..<(block.startIndex + Int(end))]) }
    }
  }
}

extension ExpectedSound {
  /// The failure for a value that is not as expected; nil if it is, or if nothing is expected of it.
  ///
  /// - Parameter trace: the momentary loudness every 0.1 s.
  fileprivate func failure(of measure: Measure, _ levels: SoundLevels, _ trace: [Float]) -> ScriptFailure? {
    guard let bounds = bounds[measure] else { return nil }
    let found = Self.value(of: measure, levels)
    // Decimal fractions are not exact in binary.
    if bounds.lowerBound - 1e-9 <= found, found <= bounds.upperBound + 1e-9 { return nil }
    let wanted = Self.text(bounds, measure)
    return ScriptFailure(
      at: "\(location)",
      "expected \(measure.rawValue) \(wanted), found \(Self.text(found, measure))\(measure.unit)"
        + nearest(measure, bounds, levels, trace) + " (\(place))")
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
      // The first values are of windows that are not full yet.
      let first = trace.count < 4 ? 0 : 3
      let distances = trace[first...].map { max(bounds.lowerBound - Double($0), Double($0) - bounds.upperBound) }
      guard let index = distances.indices.min(by: { distances[$0] < distances[$1] }), distances[index].isFinite else {
        return ""
      }
      let place = first + index
      return ", nearest \(Level.text(Double(trace[place]))) LUFS at \(time(Double(place + 1) / 10))"
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
    case .clipped, .silence, .length: Spelling.decimal(value, digits: 3)
    default: Level.text(value)
    }
  }
}
