import Markup
import Schedule

/// Checks that cues are within their stage or session, counts them, and checks the length of the session, as far as the
/// file alone determines them. All times are in seconds.
struct SpanChecks {
  /// The stage or session to which positions refer.
  ///
  /// A stage without a duration has the length of its tracks. It is `natural` here; the timeline checks it once the
  /// tracks are probed.
  private enum Span {
    case fixed(Double, name: String)
    case natural
    case open(name: String)

    init(_ stage: Session.Stage) {
      let name = "the stage '\(shown(stage.name))'"
      self =
        switch stage.duration {
        case .seconds(let length): .fixed(length, name: name)
        case .natural: .natural
        case .open: .open(name: name)
        }
    }

    /// The span of a session: fixed only if every stage has a duration.
    init(_ session: Session) {
      if session.stages.contains(where: { $0.duration == .open }) {
        self = .open(name: "a session with an open stage")
        return
      }
      let lengths = session.stages.map { if case .seconds(let length) = $0.duration { length } else { Double.nan } }
      let total = lengths.reduce(0, +)
      self = total.isNaN ? .natural : .fixed(total, name: "the session")
    }
  }

  private let session: Session
  private let problems: Problems
  /// The number of cues. It is a floating-point number, because the numbers in a file can overflow an integer.
  private var cues = 0.0

  init(_ session: Session, _ problems: Problems) { (self.session, self.problems) = (session, problems) }

  mutating func check() {
    for stage in session.stages { check(stage.overlays, stage.gongs, within: Span(stage)) }
    check(session.overlays, session.gongs, within: Span(session))
    // A duration that could not be read was replaced by the maximum, so the sum is meaningless after an error.
    if !problems.hasErrors { checkLength() }
    for stage in session.stages { count(stage.overlays, stage.gongs, within: Span(stage)) }
    count(session.overlays, session.gongs, within: Span(session))
  }

  private func check(_ overlays: [Session.Overlay], _ gongs: [Session.Gong], within span: Span) {
    for position in overlays.flatMap(\.at) + gongs.flatMap(\.positions) { check(position, within: span) }
    guard case .open(let name) = span else { return }
    for gong in gongs {
      guard case .random = gong.times else { continue }
      problems.report(
        .endless, gong.location, "random moments need a known length, but \(name) has no known end",
        fix: "write 'every' with 'jitter', or give each stage a duration")
    }
  }

  /// Reports a position outside its span, or one that counts back from an end that is not known.
  private func check(_ position: Session.Position, within span: Span) {
    switch (span, position.anchor) {
    case (.open(let name), .beforeEnd):
      problems.report(
        .endless, position.location, "this position counts from the end, but \(name) has no known end",
        fix: "count from the start")
    // A position exactly at the end is valid: "end" is one.
    case (.fixed(let length, let name), .afterStart(let seconds)) where length < seconds,
      (.fixed(let length, let name), .beforeEnd(let seconds)) where length < seconds:
      let sign = if case .beforeEnd = position.anchor { "-" } else { "" }
      problems.report(
        .outsideSpan, position.location,
        "the position \(sign)\(TimeSpelling.text(seconds)) is outside \(name), which lasts \(TimeSpelling.text(length))",
        fix: "move it, or lengthen \(name == "the session" ? "a" : "the") stage")
    default: break
    }
  }

  /// Reports the first stage at which the session exceeds its maximum length.
  private func checkLength() {
    var total = 0.0
    for stage in session.stages {
      guard case .seconds(let length) = stage.duration else { continue }
      if total <= Session.Limit.session, Session.Limit.session < total + length {
        problems.report(
          .tooLarge, stage.location, "this stage makes the session longer than the limit of 168 hours",
          fix: "shorten its stages")
      }
      total += length
    }
  }

  /// Counts the cues in a span.
  private mutating func count(_ overlays: [Session.Overlay], _ gongs: [Session.Gong], within span: Span) {
    for overlay in overlays {
      let times = if case .times(let count) = overlay.repetition.times { Double(count) } else { 1.0 }
      add(Double(overlay.at.count) * times, at: overlay.location)
    }
    for gong in gongs { add(Double(gong.strikes) * Self.times(of: gong, within: span), at: gong.location) }
  }

  /// How many times a gong is due, whatever its number of strikes; 1 if only the timeline can compute it.
  private static func times(of gong: Session.Gong, within span: Span) -> Double {
    let extra = Double(gong.extra.count)
    return switch (gong.times, span) {
    case (.at(let positions), _): extra + Double(positions.count)
    case (.random(let count, _), _): extra + Double(count)
    case (.every(let interval, let count), .fixed(let length, _)):
      extra + min(count.map(Double.init) ?? .infinity, (length / interval).rounded(.down))
    case (.every(_, let count?), _): extra + Double(count)
    case (.every, _): extra + 1
    }
  }

  /// Reports the first cue with which their number exceeds the limit.
  private mutating func add(_ more: Double, at location: SourceLocation) {
    let limit = Double(Session.Limit.cues)
    if cues <= limit, limit < cues + more {
      problems.report(
        .tooLarge, location, "this takes the session above the limit of 100,000 cues",
        fix: "repeat it less often, or use longer intervals")
    }
    cues += more
  }
}
