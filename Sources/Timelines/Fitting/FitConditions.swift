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
  /// A stage, or the whole session: its beginning and length in seconds, and its cues.
  private struct Span {
    var stage: String?
    var begin: FitTime
    var length: FitTime
    var overlays: [(overlay: Session.Overlay, planned: Programme.Overlay)]
    var gongs: [Session.Gong]
  }

  /// One start of an overlay; `length` includes its repeats.
  private struct Start {
    var at: FitTime
    var length: Double
    var title: String
    var stage: String?
    var isLayer: Bool
  }

  private let session: Session
  private let times: SessionTimes
  private let rate: SampleRate
  private let spans: [Span]

  init(of session: Session, _ times: SessionTimes, programme: Programme) {
    (self.session, self.times, rate) = (session, times, programme.rate)
    var spans: [Span] = []
    for (index, stage) in session.stages.enumerated() {
      let overlays = Array(zip(stage.overlays, programme.stages[index].overlays))
      spans.append(
        Span(
          stage: stage.name, begin: times.begins[index], length: times.lengths[index], overlays: overlays,
          gongs: stage.gongs))
    }
    let overlays = Array(zip(session.overlays, programme.overlays))
    spans.append(Span(stage: nil, begin: FitTime(), length: times.whole, overlays: overlays, gongs: session.gongs))
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
      let length = span.length.planned
      let begin = min(max(0, start.at.planned - span.begin.planned), length)
      return begin...min(begin + start.length, length)
    }
  }

  /// Crossfades and the session's fades keep their lengths, so their stages must be at least as long.
  private var fades: [FitCondition] {
    let condition = { (index: Int, needed: Double, constraint: FitError.Constraint) in
      let length = times.lengths[index]
      return FitCondition(
        slope: length.slope, needed: needed - length.fixed, stage: session.stages[index].name, constraint: constraint)
    }
    var found = session.stages.indices.dropFirst().map { index in
      let crossfade = session.stages[index].crossfade.duration
      return condition(index, crossfade, .crossfade(crossfade))
    }
    if session.stages.isEmpty { return found }
    let fadeOut = session.keepsFadeOut ? session.fadeOut : 0
    if session.stages.count == 1 {
      let fades = session.fadeIn + fadeOut
      var both = condition(0, fades, .fades(fades))
      // A fade-out of more than a minute is stretched with its stage.
      both.slope -= session.keepsFadeOut ? 0 : session.fadeOut
      found.append(both)
    } else {
      found.append(condition(0, session.fadeIn, .fades(session.fadeIn)))
      found.append(condition(session.stages.count - 1, fadeOut, .fades(fadeOut)))
    }
    return found
  }

  /// A cue that counts from an end must not come before the start.
  private func positions(in span: Span) -> [FitCondition] {
    (span.overlays.flatMap(\.overlay.at) + span.gongs.flatMap(\.positions)).compactMap { position in
      guard case .beforeEnd(let seconds) = position.anchor, 0 < seconds else { return nil }
      return FitCondition(
        slope: span.length.slope, needed: seconds - span.length.fixed, stage: span.stage,
        constraint: .position(beforeEnd: seconds))
    }
  }

  /// Overlays keep their lengths, and must end before their stage does.
  private func ends(in span: Span) -> [FitCondition] {
    let end = span.begin + span.length
    return starts(of: span).map { start in
      FitCondition(
        slope: end.slope - start.at.slope, needed: start.at.fixed + start.length - end.fixed, stage: span.stage,
        constraint: .overlay(title: start.title, start.length))
    }
  }

  /// A gong at an interval keeps it, and must sound at least once. Random moments must still fit.
  private func intervals(in span: Span) -> [FitCondition] {
    span.gongs.compactMap { gong in
      let (needed, constraint): (Double, FitError.Constraint)
      switch gong.times {
      case .every(let interval, nil):
        (needed, constraint) = (interval + 0.001, .interval(title: gong.sound.title, interval))
      case .random(let count, let minimum):
        needed = RandomMoments.room(for: count, minimum: minimum)
        constraint = .random(title: gong.sound.title, count)
      default: return nil
      }
      return FitCondition(
        slope: span.length.slope, needed: needed - span.length.fixed, stage: span.stage, constraint: constraint)
    }
  }

  /// An overlay must end before the next one begins, because a new overlay cuts off the current one.
  private func order(of starts: [Start]) -> [FitCondition] {
    let sequential = starts.filter { !$0.isLayer }.sorted { $0.at.planned < $1.at.planned }
    return zip(sequential, sequential.dropFirst()).map { one, next in
      FitCondition(
        slope: next.at.slope - one.at.slope, needed: one.length + one.at.fixed - next.at.fixed, stage: one.stage,
        constraint: .overlays(title: one.title, next: next.title))
    }
  }

  /// Every start of an overlay in a span. Overlays without an end are left out: the session cuts them off in any case.
  private func starts(of span: Span) -> [Start] {
    span.overlays.flatMap { overlay, planned -> [Start] in
      guard let length = planned.plannedLength.map({ $0 / Double(rate.hertz) }) else { return [] }
      return overlay.at.map { position in
        let at: FitTime
        switch position.anchor {
        case .afterStart(let seconds): at = time(of: seconds, in: span)
        case .beforeEnd(let seconds): at = span.begin + span.length + FitTime(fixed: -seconds)
        }
        return Start(at: at, length: length, title: overlay.sound.title, stage: span.stage, isLayer: overlay.isLayer)
      }
    }
  }

  /// A time that counts from the beginning of a span.
  private func time(of seconds: Double, in span: Span) -> FitTime {
    if span.stage == nil { return times.time(of: seconds) }
    return span.begin + (span.length.slope == 0 ? FitTime(fixed: seconds) : FitTime(slope: seconds))
  }
}

extension Session {
  /// Whether the fade-out keeps its length when the session is stretched. A fade-out of more than a minute, as in a
  /// session for falling asleep, keeps its share of the last stage instead.
  var keepsFadeOut: Bool { fadeOut <= Session.Limit.fade }
}
