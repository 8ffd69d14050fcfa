import Engine
import Player
import Signal

/// One start of an overlay with all its repeats, not yet written out.
struct OverlayOccurrence {
  var overlay: Session.Overlay
  var span: CueSpan
  var at: FrameTime
  var countsFromEnd: Bool
  /// In frames; `.endless` for a sound without an end.
  var length: FrameCount
  /// From one repeat's beginning to the next one's.
  var period: Double
  var count: Double

  var expected: Double { count }
}

extension TimelineCues {
  /// Session-wide ones first, then in the order of stages: of two that begin on one frame the later one stays.
  mutating func overlayOccurrences() -> [OverlayOccurrence] {
    var found: [OverlayOccurrence] = []
    for overlay in session.overlays { found += occurrences(of: overlay, in: wholeSession) }
    for index in spans.indices {
      for overlay in session.stages[index].overlays { found += occurrences(of: overlay, in: span(ofStage: index)) }
    }
    return found
  }

  private mutating func occurrences(of overlay: Session.Overlay, in span: CueSpan) -> [OverlayOccurrence] {
    let length = sounds.length(of: overlay.sound)
    let period = length == .endless ? .infinity : Double(length) + overlay.repetition.delay * Double(rate.hertz)
    var found: [OverlayOccurrence] = []
    for position in overlay.at {
      guard let at = frame(of: position, in: span) else { continue }
      let count = repeats(of: overlay, every: period, from: at, in: span)
      let lastAt = Double(at) + (period.isFinite ? max(0, count - 1) * period : 0)
      tellCut(of: overlay, length: length, count: count, lastAt: lastAt, span)
      found.append(
        OverlayOccurrence(
          overlay: overlay, span: span, at: at, countsFromEnd: position.countsFromEnd, length: length, period: period,
          count: count))
    }
    return found
  }

  /// None begins at or behind the stage's end, where another stage follows or it repeats "forever".
  private func repeats(
    of overlay: Session.Overlay, every period: Double, from at: FrameTime, in span: CueSpan
  ) -> Double {
    let room = max(0, span.horizon(rate).rounded() - Double(at))
    let fitting = period.isFinite ? (room / period).rounded(.up) : room > 0 ? 1 : 0
    switch overlay.repetition.times {
    case .forever: return fitting
    case .times(let times) where span.leaving == nil: return period.isFinite ? Double(times) : 1
    case .times(let times): return min(Double(times), fitting)
    }
  }

  private mutating func tellCut(
    of overlay: Session.Overlay, length: FrameCount, count: Double, lastAt: Double, _ span: CueSpan
  ) {
    guard case .times(let times) = overlay.repetition.times, span.leaving != nil, length != .endless else { return }
    guard let end = span.end, end < lastAt + Double(length) || end <= lastAt || count < Double(times) else { return }
    notes.warn(
      overlay.place, "overlay '\(overlay.sound.title)' is cut by the end of \(span.name)",
      mend: "begin it earlier, or lengthen the stage")
  }

  /// The frames at which other overlays take the places of these; nil where none does. Layers stay out of it.
  func replacements(among occurrences: [OverlayOccurrence]) -> [FrameTime?] {
    let inTurn = occurrences.indices
      .filter { !occurrences[$0].overlay.isLayer && 0 < occurrences[$0].count }
      .sorted {
        (occurrences[$0].span.run, occurrences[$0].at, $0) < (occurrences[$1].span.run, occurrences[$1].at, $1)
      }
    var frames = [FrameTime?](repeating: nil, count: occurrences.count)
    for (index, heir) in zip(inTurn, inTurn.dropFirst()) where occurrences[index].span.run == occurrences[heir].span.run
    {
      frames[index] = occurrences[heir].at
    }
    return frames
  }

  /// - Parameter number: of the occurrence, by which its repeats are known as such.
  func expand(_ occurrence: OverlayOccurrence, until replaced: FrameTime?, number: Int) -> [Placement] {
    var placements: [Placement] = []
    for time in 0..<Int(occurrence.count) {
      let offset = time == 0 ? 0 : Double(time) * occurrence.period
      let at = FrameTime(nearest: Double(occurrence.at) + offset)
      if let replaced, replaced <= at { break }
      var placement = placement(of: occurrence, at: at, until: replaced)
      if 1 < occurrence.count { placement.repetition = number }
      placement.offsetInSeries = at - occurrence.at
      placements.append(placement)
    }
    return placements
  }

  private func placement(of occurrence: OverlayOccurrence, at: FrameTime, until replaced: FrameTime?) -> Placement {
    let overlay = occurrence.overlay
    var placement = Placement(
      layer: .overlay, source: overlay.sound.source, title: overlay.sound.title, stage: occurrence.span.stage, at: at,
      length: occurrence.length, gain: overlay.sound.volume)
    placement.isLayer = overlay.isLayer
    placement.countsFromEnd = occurrence.countsFromEnd
    if 0 < overlay.fadeOut { placement.exit = FadeShape(length: rate.frames(overlay.fadeOut), curve: overlay.curve) }
    placement.duck = overlay.duck.map {
      Duck(depth: $0.by, attack: rate.frames($0.attack), release: rate.frames($0.release))
    }
    let end = occurrence.span.end.map { FrameTime(nearest: $0) }
    if occurrence.length == .endless, occurrence.span.leaving == nil, let end, at < end { placement.length = end - at }
    addFades(to: &placement, of: overlay)
    leave(&placement, of: occurrence, until: replaced, stageEnd: end)
    return placement
  }

  /// Both shortened in proportion where the sound is too short for them.
  private func addFades(to placement: inout Placement, of overlay: Session.Overlay) {
    var fadeIn = rate.frames(overlay.fadeIn)
    var fadeOut = rate.frames(overlay.fadeOut)
    let isCutByTheEnd = sounds.length(of: overlay.sound) == .endless && placement.length != .endless
    if isCutByTheEnd { fadeOut = max(fadeOut, ramp) }
    if placement.length != .endless, placement.length < fadeIn + fadeOut {
      fadeIn = FrameCount(Double(placement.length) * Double(fadeIn) / Double(fadeIn + fadeOut))
      fadeOut = placement.length - fadeIn
    }
    if 0 < fadeIn { placement.fadeIn = .rising(at: placement.at, over: fadeIn, overlay.curve) }
    if 0 < fadeOut, placement.length != .endless {
      placement.fadeOut = .falling(at: placement.end - fadeOut, over: fadeOut, overlay.curve)
    }
  }

  private func leave(
    _ placement: inout Placement, of occurrence: OverlayOccurrence, until replaced: FrameTime?, stageEnd: FrameTime?
  ) {
    var fade: Fade?
    if let leaving = occurrence.span.leaving, let stageEnd {
      fade = .falling(at: stageEnd, over: max(ramp, leaving.length), leaving.curve)
    }
    if let replaced, replaced < fade?.start ?? .endless {
      let length = max(ramp, rate.frames(occurrence.overlay.fadeOut))
      fade = .falling(at: replaced, over: length, occurrence.overlay.curve)
    }
    guard let fade, fade.start < placement.end else { return }
    placement.leave = fade
    placement.length = min(placement.end, fade.end) - placement.at
    if let fadeOut = placement.fadeOut, placement.end <= fadeOut.start { placement.fadeOut = nil }
  }

  private var ramp: FrameCount { max(1, rate.frames(TimelineLimits.ramp)) }
}
