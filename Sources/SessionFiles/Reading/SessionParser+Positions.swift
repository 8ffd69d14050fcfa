import Markup

/// Checks that cues are within their stage or session, and counts them. All times are in seconds.
extension SessionParser {
  /// The stage or session to which positions refer, with its length as far as the file alone determines it.
  ///
  /// A stage without a duration has the length of its tracks. It is `natural` here; the timeline checks it once the
  /// tracks are probed.
  private enum Span {
    case fixed(Double, name: String)
    case natural
    case open(name: String)
  }

  /// Checks every cue of the stages, then those of the session.
  mutating func checkPositions(_ session: Session) {
    for stage in session.stages { check(stage.overlays, stage.gongs, within: span(of: stage)) }
    check(session.overlays, session.gongs, within: span(of: session))
  }

  /// The span of a stage.
  private func span(of stage: Session.Stage) -> Span {
    switch stage.duration {
    case .seconds(let length): .fixed(length, name: "the stage '\(shown(stage.name))'")
    case .natural: .natural
    case .open: .open(name: "the stage '\(shown(stage.name))'")
    }
  }

  /// The span of the session: fixed only if every stage has a duration.
  private func span(of session: Session) -> Span {
    if session.stages.contains(where: { $0.duration == .open }) { return .open(name: "a session with an open stage") }
    let lengths = session.stages.map { if case .seconds(let length) = $0.duration { length } else { Double.nan } }
    let total = lengths.reduce(0, +)
    return total.isNaN ? .natural : .fixed(total, name: "the session")
  }

  private mutating func check(_ overlays: [Session.Overlay], _ gongs: [Session.Gong], within span: Span) {
    for position in overlays.flatMap(\.at) { check(position, within: span) }
    for gong in gongs {
      if case .at(let positions) = gong.times { for position in positions { check(position, within: span) } }
    }
  }

  /// Reports a position outside its span, or one that counts back from an end that is not known.
  private mutating func check(_ position: Session.Position, within span: Span) {
    switch (span, position.anchor) {
    case (.open(let name), .beforeEnd):
      report(
        position.location, "this position counts from the end, but \(name) has no known end",
        fix: "count from the start")
    // A position exactly at the end is valid: "end" is one.
    case (.fixed(let length, let name), .afterStart(let seconds)) where length < seconds,
      (.fixed(let length, let name), .beforeEnd(let seconds)) where length < seconds:
      let sign = if case .beforeEnd = position.anchor { "-" } else { "" }
      report(
        position.location,
        "the position \(sign)\(TimeSpelling.text(seconds)) is outside \(name), which lasts \(TimeSpelling.text(length))",
        fix: "move it, or lengthen \(name == "the session" ? "a" : "the") stage")
    default: break
    }
  }

  /// Checks the limits of the whole session, as far as they depend on the file alone.
  mutating func checkTotals(_ session: Session) {
    // A duration that could not be read was replaced by the maximum, so the sum is meaningless after an error.
    if !problems.hasErrors { checkLength(session) }
    var cues = 0.0
    for stage in session.stages { count(stage.overlays, stage.gongs, within: span(of: stage), into: &cues) }
    count(session.overlays, session.gongs, within: span(of: session), into: &cues)
  }

  /// Reports the first stage at which the session exceeds its maximum length.
  private mutating func checkLength(_ session: Session) {
    var total = 0.0
    for stage in session.stages {
      guard case .seconds(let length) = stage.duration else { continue }
      if total <= Limit.session, Limit.session < total + length {
        report(
          stage.location, "this stage makes the session longer than the limit of 168 hours", fix: "shorten its stages")
      }
      total += length
    }
  }

  /// Adds the number of cues in a span to a total. The total is a floating-point number, because the numbers in a file
  /// can overflow an integer.
  private mutating func count(
    _ overlays: [Session.Overlay], _ gongs: [Session.Gong], within span: Span, into cues: inout Double
  ) {
    for overlay in overlays {
      var times = 1.0
      if case .times(let count) = overlay.repetition.times { times = Double(count) }
      add(Double(overlay.at.count) * times, at: overlay.location, to: &cues)
    }
    for gong in gongs { add(Double(gong.strikes) * times(of: gong, within: span), at: gong.location, to: &cues) }
  }

  /// How many times a gong is due, whatever its number of strikes; 1 if only the timeline can compute it.
  private func times(of gong: Session.Gong, within span: Span) -> Double {
    switch (gong.times, span) {
    case (.at(let positions), _): Double(positions.count)
    case (.every(let interval, let count), .fixed(let length, _)):
      min(count.map(Double.init) ?? .infinity, (length / interval).rounded(.down))
    case (.every(_, let count?), _): Double(count)
    case (.every, _): 1
    }
  }

  /// Adds to a total, and reports the first cue with which it exceeds the limit.
  private mutating func add(_ more: Double, at location: SourceLocation, to cues: inout Double) {
    let limit = Double(Limit.cues)
    if cues <= limit, limit < cues + more {
      report(
        location, "this takes the session above the limit of 100,000 cues",
        fix: "repeat it less often, or use longer intervals")
    }
    cues += more
  }
}
