import Schedule
import SessionFiles
import Signal

/// A condition on the factor by which a session is stretched: `slope · factor ≥ needed`, both in seconds.
///
/// All stages are stretched by the same factor, so every position is a linear function of it: a cue that counts from
/// a start moves in proportion, a cue that counts from an end keeps its distance to the end.
struct FitCondition {
  var slope: Double
  var needed: Double
  /// The name of the stage; nil for the session as a whole.
  var stage: String?
  var constraint: FitError.Constraint

  /// Tolerates rounding errors. In seconds, far below the length of a frame.
  private static let tolerance = 1e-7

  func holds(at factor: Double) -> Bool { needed - Self.tolerance <= slope * factor }
}

/// The conditions that a session must still meet when it is stretched. A condition that the session as written does not
/// meet is ignored.
struct FitConditions {
  /// A stage, or the whole session: its beginning and length in seconds, before it is stretched, and its cues.
  private struct Span {
    var stage: String?
    var begin: Double
    var length: Double
    var overlays: [(overlay: Session.Overlay, planned: Programme.Overlay)]
    var gongs: [Session.Gong]
  }

  /// One start of an overlay, at `slope · factor + offset` seconds; `length` includes its repeats.
  private struct Start {
    var slope: Double
    var offset: Double
    var length: Double
    var title: String
    var stage: String?
    var isLayer: Bool
  }

  private let session: Session
  private let lengths: [Double]
  private let rate: SampleRate
  private let spans: [Span]

  /// - Parameter lengths: the length of each stage in seconds.
  init(of session: Session, lengths: [Double], programme: Programme) {
    (self.session, self.lengths, rate) = (session, lengths, programme.rate)
    var spans: [Span] = []
    var begin = 0.0
    for (index, stage) in session.stages.enumerated() {
      let overlays = Array(zip(stage.overlays, programme.stages[index].overlays))
      spans.append(
        Span(stage: stage.name, begin: begin, length: lengths[index], overlays: overlays, gongs: stage.gongs))
      begin += lengths[index]
    }
    let overlays = Array(zip(session.overlays, programme.overlays))
    spans.append(Span(stage: nil, begin: 0, length: begin, overlays: overlays, gongs: session.gongs))
    self.spans = spans
  }

  /// All conditions, except those of overlays of a stage.
  var all: [FitCondition] {
    var conditions = fades + spans.flatMap { positions(in: $0) + intervals(in: $0) }
    // Overlays of the session as a whole replace those of stages, so all of them are moved in the same way.
    if hasSessionOverlays { conditions += spans.flatMap(ends) + order(of: spans.flatMap(starts)) }
    return conditions.filter { $0.holds(at: 1) }
  }

  var hasSessionOverlays: Bool { !session.overlays.isEmpty }

  /// The conditions of a stage's overlays if their positions move in proportion; none if the session as a whole has
  /// overlays, because `all` then contains them.
  func overlays(ofStage index: Int) -> [FitCondition] {
    if hasSessionOverlays { return [] }
    return (ends(in: spans[index]) + order(of: starts(of: spans[index]))).filter { $0.holds(at: 1) }
  }

  /// The parts of a stage during which overlays play, up to its end, in seconds of the stage.
  func overlayRanges(ofStage index: Int) -> [ClosedRange<Double>] {
    let span = spans[index]
    return starts(of: span).map { start in
      let begin = min(max(0, start.slope + start.offset - span.begin), span.length)
      return begin...min(begin + start.length, span.length)
    }
  }

  /// Crossfades and the session's fades keep their lengths, so their stages must be at least as long.
  private var fades: [FitCondition] {
    var found = session.stages.indices.dropFirst().map { index in
      let stage = session.stages[index]
      return FitCondition(
        slope: lengths[index], needed: stage.crossfade.duration, stage: stage.name,
        constraint: .crossfade(stage.crossfade.duration))
    }
    guard let first = session.stages.first, let last = session.stages.last else { return found }
    let fadeOut = session.keepsFadeOut ? session.fadeOut : 0
    // A fade-out of more than a minute is stretched with its stage.
    let rest = session.keepsFadeOut ? 0 : session.fadeOut
    if session.stages.count == 1 {
      let fades = session.fadeIn + fadeOut
      found.append(FitCondition(slope: lengths[0] - rest, needed: fades, stage: first.name, constraint: .fades(fades)))
    } else {
      found.append(
        FitCondition(
          slope: lengths[0], needed: session.fadeIn, stage: first.name, constraint: .fades(session.fadeIn)))
      found.append(
        FitCondition(
          slope: lengths[lengths.count - 1], needed: fadeOut, stage: last.name, constraint: .fades(fadeOut)))
    }
    return found
  }

  /// A cue that counts from an end must not come before the start.
  private func positions(in span: Span) -> [FitCondition] {
    (span.overlays.flatMap(\.overlay.at) + span.gongs.flatMap(\.positions)).compactMap { position in
      guard case .beforeEnd(let seconds) = position.anchor, 0 < seconds else { return nil }
      return FitCondition(
        slope: span.length, needed: seconds, stage: span.stage, constraint: .position(beforeEnd: seconds))
    }
  }

  /// Overlays keep their lengths, and must end before their stage does.
  private func ends(in span: Span) -> [FitCondition] {
    starts(of: span).map { start in
      FitCondition(
        slope: span.begin + span.length - start.slope, needed: start.offset + start.length, stage: span.stage,
        constraint: .overlay(title: start.title, start.length))
    }
  }

  /// A gong at an interval keeps it, and must sound at least once.
  private func intervals(in span: Span) -> [FitCondition] {
    span.gongs.compactMap { gong in
      guard case .every(let interval, nil) = gong.times else { return nil }
      return FitCondition(
        slope: span.length, needed: interval + 0.001, stage: span.stage,
        constraint: .interval(title: gong.sound.title, interval))
    }
  }

  /// An overlay must end before the next one begins, because a new overlay cuts off the current one.
  private func order(of starts: [Start]) -> [FitCondition] {
    let sequential = starts.filter { !$0.isLayer }.sorted { $0.slope + $0.offset < $1.slope + $1.offset }
    return zip(sequential, sequential.dropFirst()).map { one, next in
      FitCondition(
        slope: next.slope - one.slope, needed: one.length + one.offset - next.offset, stage: one.stage,
        constraint: .overlays(title: one.title, next: next.title))
    }
  }

  /// Every start of an overlay in a span. Overlays without an end are left out: the session cuts them off in any case.
  private func starts(of span: Span) -> [Start] {
    span.overlays.flatMap { overlay, planned -> [Start] in
      guard case .times(let times) = overlay.repetition.times, planned.sound.length != .endless else { return [] }
      let length =
        Double(times) * rate.seconds(planned.sound.length) + Double(times - 1) * overlay.repetition.delay
      return overlay.at.map { position in
        let (slope, offset) =
          switch position.anchor {
          case .afterStart(let seconds): (span.begin + seconds, 0.0)
          case .beforeEnd(let seconds): (span.begin + span.length, -seconds)
          }
        return Start(
          slope: slope, offset: offset, length: length, title: overlay.sound.title, stage: span.stage,
          isLayer: overlay.isLayer)
      }
    }
  }
}

extension Session {
  /// Whether the fade-out keeps its length when the session is stretched. A fade-out of more than a minute, as in a
  /// session for falling asleep, keeps its share of the last stage instead.
  var keepsFadeOut: Bool { fadeOut <= Session.Limit.fade }
}
