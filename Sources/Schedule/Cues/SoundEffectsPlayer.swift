import Signal

/// One gong's strikes from one start on, in closed form.
public struct GongSeries: Sendable {
  let key: CueKey
  public let gong: Programme.Gong
  let span: CueSpan
  /// In frames, with their fraction.
  public let start: Double
  /// 0 where it sounds once.
  public let interval: Double
  /// Nil for as long as its stage lasts.
  public let count: Int?

  /// One strike; nil behind the last one.
  ///
  /// - Parameters:
  ///   - time: how many times all its strikes have sounded before.
  ///   - strike: which strike of that time.
  public func clip(time: Int, strike: Int) -> Clip? {
    let first = start + Double(time) * interval
    let isWithin: Bool
    if let count {
      isWithin = time < count && FrameTime(nearest: first) <= span.endFrame
    } else {
      isWithin = FrameTime(nearest: first) < span.endFrame
    }
    guard isWithin else { return nil }
    let sound = gong.sound
    let number = time * gong.strikes + strike
    return Clip(
      ClipID(.cue(visit: key.visit, cue: key.cue, start: key.start, time: number), stage: span.stage), layer: .effect,
      source: sound.source, title: sound.title,
      at: FrameTime(nearest: first + Double(strike) * gong.spacing), length: sound.length, gain: sound.gain)
  }

  /// A time from which on no strike is missed that ends behind `frame`.
  func firstTime(endingAfter frame: FrameTime) -> Int {
    guard 0 < interval else { return 0 }
    let spread = Double(gong.strikes) * gong.spacing + Double(gong.sound.length)
    return max(0, Int(min(1e12, (Double(frame) - spread - start) / interval)) - 1)
  }
}

/// The gongs of a session, planned and commanded alike: they overlap freely, and none cuts another. A value.
struct SoundEffectsPlayer: Sendable {
  private var commanded: [CommandedCue<Programme.Gong>] = []
  /// Where series that count from an end have begun: they stay there.
  private var begun: [CueKey: Double] = [:]
  /// Where all that rang was faded out.
  private(set) var stops: [FrameTime] = []

  func series(of programme: Programme, in spans: CueSpans) -> [GongSeries] {
    var found: [GongSeries] = []
    for gong in programme.gongs { found += series(of: gong, in: spans.session) }
    for span in spans.stages {
      guard let stage = span.stage else { continue }
      for gong in programme.stages[stage].gongs { found += series(of: gong, in: span) }
    }
    for asked in commanded {
      // It rings out though its stage may have ended.
      var span = spans.stages.first { $0.stage == asked.stage && $0.visit == asked.visit } ?? spans.session
      (span.stage, span.end, span.until) = (asked.stage, nil, .endless)
      span.from = .min
      let key = CueKey(visit: asked.visit, cue: asked.cue.id, start: 0)
      found.append(GongSeries(key: key, gong: asked.cue, span: span, start: Double(asked.at), interval: 0, count: 1))
    }
    return found
  }

  private func series(of gong: Programme.Gong, in span: CueSpan) -> [GongSeries] {
    switch gong.pattern {
    case .at(let positions):
      positions.enumerated().compactMap { start, position in
        let key = CueKey(visit: span.visit, cue: gong.id, start: start)
        guard let at = begun[key] ?? span.frame(position).map(Double.init) else { return nil }
        return GongSeries(key: key, gong: gong, span: span, start: at, interval: 0, count: 1)
      }
    case .every(let interval, let count):
      [
        GongSeries(
          key: CueKey(visit: span.visit, cue: gong.id, start: 0), gong: gong, span: span,
          start: span.begin + interval, interval: interval, count: count)
      ]
    }
  }

  mutating func strike(_ gong: Programme.Gong, stage: Int, visit: Int, at frame: FrameTime) {
    commanded.append(CommandedCue(cue: gong, visit: visit, stage: stage, at: frame))
  }

  mutating func settle(_ series: [GongSeries], at frame: FrameTime) {
    for one in series where one.interval == 0 && FrameTime(nearest: one.start) < frame { begun[one.key] = one.start }
  }

  /// What rings is faded out; strikes to come stay.
  mutating func stop(at frame: FrameTime) { if stops.last != frame { stops.append(frame) } }

  /// The listener wants no more of what was asked for.
  mutating func stopCommanded(at frame: FrameTime) {
    stop(at: frame)
    commanded.removeAll { frame <= $0.at }
  }

  /// A stage is left: its strikes to come are no longer wanted; those of this very frame are.
  mutating func leave(visit: Int, at frame: FrameTime) {
    commanded.removeAll { $0.visit == visit && $0.at != frame }
    begun = begun.filter { $0.key.visit != visit }
  }
}
