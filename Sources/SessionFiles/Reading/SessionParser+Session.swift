import Markup
import Signal

/// Reads the outermost group, and checks what concerns several stages.
extension SessionParser {
  /// The keys of a session, in the order in which error messages list them.
  private static let keys = [
    "$schema", "prosper", "title", "description", "date", "sampleRate", "volume", "crossfade", "fadeIn", "fadeOut",
    "sounds",
    "stages", "overlays", "gongs",
  ]

  /// Reads a session.
  ///
  /// - Returns: nil if the file is not a group of keys. If any error was reported, the result contains placeholders and
  ///   must be discarded.
  mutating func session(_ root: Node) -> Session? {
    let required = ["prosper", "title", "stages"]
    guard let fields = fields(root, "the session", keys: Self.keys, required: required) else { return nil }
    checkVersion(fields["prosper"])
    _ = text(fields["$schema"], "$schema")
    // Before the stages, which refer to the sounds by name.
    define(fields["sounds"])
    let crossfade = crossfade(fields["crossfade"], default: Session.Crossfade(duration: 0, curve: .equalPower))
    var session = Session(
      path: problems.path, title: name(fields["title"], "title") ?? "",
      description: text(fields["description"], "description"),
      sampleRate: sampleRate(fields["sampleRate"]), volume: volume(fields["volume"]) ?? .unity,
      fadeIn: fade(fields["fadeIn"], "fadeIn") ?? 0, fadeOut: duration(fields["fadeOut"], "fadeOut") ?? 0,
      stages: stages(fields["stages"], crossfade: crossfade),
      overlays: overlays(fields["overlays"]), gongs: gongs(fields["gongs"]))
    session.date = date(fields["date"])
    session.sampleRateLocation = fields["sampleRate"]?.location
    (session.named, session.folder) = (sounds.compactMapValues(\.self), folder)
    session.fadeOutLocation = fields["fadeOut"] == nil ? nil : fields.location(of: "fadeOut")
    warnOfUnused(fields["sounds"])
    checkSessionFades(session, fields)
    checkPositions(session)
    // Last, because they need every stage and cue.
    checkTotals(session)
    return session
  }

  /// Reports any format version other than 1.
  private mutating func checkVersion(_ node: Node?) {
    guard let node else { return }
    guard case .word(let word) = node.content, Node.isNumber(word) else {
      report(
        node.location, "'prosper' is \(node.found), not a format version number",
        fix: "write 1, without quotes")
      return
    }
    guard Double(word) != 1 else { return }
    report(node.location, "format version \(node.found) is not supported", fix: "write 1, or update prosper")
  }

  /// A year, a month or a day, as `2026`, `2026-03` or `2026-03-01`.
  private mutating func date(_ node: Node?) -> String? {
    guard let node else { return nil }
    if let text = node.plainText, DateSpelling.isDate(text) { return text }
    report(node.location, "'date' is \(node.found)", fix: "write a day as \"2026-03-01\", or a month or year alone")
    return nil
  }

  private mutating func sampleRate(_ node: Node?) -> SampleRate? {
    wholeNumber(node, "sampleRate", in: SampleRate.range).flatMap { SampleRate(hertz: $0) }
  }

  /// Reports a fade-in that is longer than the first stage, and a fade-out that is longer than the last one. Warns of
  /// fades that overlap.
  ///
  /// Only stages with a duration are checked here; `StageChecks` checks the others once their tracks are probed.
  private mutating func checkSessionFades(_ session: Session, _ fields: Fields) {
    guard let first = session.stages.first, let last = session.stages.last else { return }
    let location = fields.location(of: "fadeOut")
    switch last.duration {
    case .open where Limit.fade < session.fadeOut:
      report(
        location, "'fadeOut' is \(TimeSpelling.text(session.fadeOut)), above the limit of 60 s for an open last stage",
        fix: "write 60s or less")
    case .seconds(let length) where length < session.fadeOut:
      report(
        location,
        "'fadeOut' is \(TimeSpelling.text(session.fadeOut)), but the last stage in line \(last.location.line) lasts only \(TimeSpelling.text(length))",
        fix: "shorten the fade")
      return
    default: break
    }
    guard case .seconds(let length) = first.duration else { return }
    let fades = session.fadeIn + (session.stages.count == 1 ? session.fadeOut : 0)
    guard length < fades else { return }
    if length < session.fadeIn {
      report(
        fields.location(of: "fadeIn"),
        "'fadeIn' is \(TimeSpelling.text(session.fadeIn)), but the stage in line \(first.location.line) lasts only \(TimeSpelling.text(length))",
        fix: "shorten the fade")
      return
    }
    problems.warn(
      fields.location(of: "fadeIn"),
      "the fades take \(TimeSpelling.text(fades)), but the stage in line \(first.location.line) lasts only \(TimeSpelling.text(length))",
      fix: "shorten the fades")
  }
}
