import Engine
import Player
import Signal

/// Places overlays and gongs: works out their frames, then who replaces whom.
struct TimelineCues {
  let session: Session
  let sounds: TimelineSounds
  let spans: [StageSpan]
  var notes: TimelineNotes

  var rate: SampleRate { sounds.rate }

  /// Placements by stage, and those that belong to the session as a whole, each in the order of their frames.
  mutating func place() throws(TimelineFailure) -> (stages: [[Placement]], session: [Placement]) {
    let occurrences = overlayOccurrences()
    let strikes = gongSeries()
    try notes.check()
    try checkCount(occurrences.reduce(0) { $0 + $1.expected } + strikes.reduce(0) { $0 + $1.expected })
    var placed = (stages: [[Placement]](repeating: [], count: spans.count), session: [Placement]())
    let replaced = replacements(among: occurrences)
    let overlays = occurrences.indices.flatMap { expand(occurrences[$0], until: replaced[$0], number: $0) }
    for cue in overlays + strikes.flatMap(expand) {
      if let stage = cue.stage { placed.stages[stage].append(cue) } else { placed.session.append(cue) }
    }
    for stage in placed.stages.indices { placed.stages[stage] = inOrder(placed.stages[stage]) }
    return (placed.stages, inOrder(placed.session))
  }

  private mutating func checkCount(_ count: Double) throws(TimelineFailure) {
    if TimelineLimits.cues < count {
      notes.error(
        Place(line: 1, column: 1), "the session has more than 100,000 cues", mend: "let overlays and gongs repeat less")
    }
    try notes.check()
  }

  /// Cues of one frame stay in the order of the file.
  private func inOrder(_ cues: [Placement]) -> [Placement] {
    cues.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}

/// What a cue's positions count from and how long it may go on: a stage, or the session.
struct CueSpan {
  /// Nil for the session.
  var stage: Int?
  var name: String
  /// In frames, with their fractions.
  var begin: Double
  /// Nil where the listener decides.
  var end: Double?
  /// How its overlays leave at the end; nil where they ring out.
  var leaving: FadeShape?
  /// Which run of stages between open ones it belongs to: the frames of each count anew.
  var run: Int

  /// Where "forever" ends: at the end, in an open stage after a day.
  func horizon(_ rate: SampleRate) -> Double { end ?? begin + TimelineLimits.openStage * Double(rate.hertz) }
}

extension TimelineCues {
  var wholeSession: CueSpan {
    let isOpen = spans.contains { $0.end == nil }
    return CueSpan(
      stage: nil, name: "the session", begin: 0, end: isOpen ? nil : spans.last?.end, leaving: nil, run: 0)
  }

  func span(ofStage index: Int) -> CueSpan {
    let span = spans[index]
    let run = spans[..<index].count { $0.end == nil }
    return CueSpan(
      stage: index, name: "stage '\(span.stage.name)'", begin: span.begin, end: span.end,
      leaving: span.end == nil ? nil : span.leaving, run: run)
  }

  /// The frame of a position; nil, with an error, where it lies outside.
  mutating func frame(of position: Session.Position, in span: CueSpan) -> FrameTime? {
    let hertz = Double(rate.hertz)
    let exact: Double
    switch position.anchor {
    case .afterStart(let seconds): exact = span.begin + seconds * hertz
    case .beforeEnd(let seconds):
      guard let end = span.end else {
        notes.error(
          position.place, "\(span.name) is open and has no end to count back from", mend: "count from its start")
        return nil
      }
      exact = end - seconds * hertz
    }
    return checked(exact, at: position.place, in: span)
  }

  private mutating func checked(_ exact: Double, at place: Place, in span: CueSpan) -> FrameTime? {
    let frame = exact.rounded()
    if frame < span.begin.rounded() {
      notes.error(place, "the position is before \(span.name) begins", mend: "count back less from its end")
      return nil
    }
    let end = span.end ?? span.begin + TimelineLimits.seconds * Double(rate.hertz)
    if end.rounded() < frame {
      let length = Clock.text(FrameCount((end - span.begin).rounded()), rate)
      notes.error(
        place, "the position is behind the end of \(span.name) at \(length)", mend: "choose an earlier one, or \"end\"")
      return nil
    }
    return FrameTime(nearest: frame)
  }
}
