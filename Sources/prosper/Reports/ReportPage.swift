import Glibc
import ProsperKit

/// What was planned and what happened in one session, as one HTML page.
struct ReportPage {
  var title: String
  var facts: SessionFacts
  /// What was heard; nil if it could not be measured.
  var sound: SessionSound?
  /// How many events the record has left out.
  var missing = 0

  var html: String {
    let sections = [
      ("", HTMLPage.table([], summary)), ("Timeline", picture), ("Stages", stages),
      ("Planned and actual", cues), ("Crossfades", crossfades), ("Gaps", gaps), ("Commands", commands),
      ("Messages", notes), ("Command queue", metrics),
    ]
    let body = sections.filter { !$0.1.isEmpty }.map { name, body in
      (name.isEmpty ? "" : "<h2>\(name)</h2>\n") + body
    }
    return HTMLPage(title: title, body: body.joined(), style: ReportPicture.style).html
  }

  private var summary: [[String]] {
    let (origin, totals) = (facts.origin, facts.totals)
    var rows = [
      ["Ended", facts.reason?.words ?? "–"], ["Played", totals.map { Self.clock($0.played) } ?? "–"],
      ["Session", origin.path ?? "–"], ["Fingerprint", origin.fingerprint ?? "–"], ["Output", origin.output ?? "–"],
      ["Version", origin.version ?? "–"],
    ]
    if let time = facts.time { rows.append(["Began", isoText(time)]) }
    if let levels = sound?.levels {
      rows += [
        ["Integrated loudness", "\(Level.text(totals?.sound.loudness ?? levels.integrated)) LUFS"],
        ["Loudness range", "\(Level.text(levels.range)) LU"],
        ["Loudest 3 s", "\(Level.text(levels.shortTerm)) LUFS"], ["Peak", "\(Level.text(levels.samplePeak)) dBFS"],
      ]
    }
    guard let totals else { return rows }
    let limited = "\(JSONLine.seconds(totals.sound.limitedSeconds)) s, at most \(Level.text(totals.sound.reduction)) dB"
    rows.append(["Limiter", totals.sound.limitedSeconds == 0 ? "never lowered the sound" : limited])
    rows.append(["Gaps", totals.gaps == 0 ? "none" : "\(totals.gaps), \(JSONLine.seconds(totals.gapSeconds)) s"])
    let shortfalls = totals.shortfalls.words
    rows.append(["Not ready in time", shortfalls.isEmpty ? "nothing" : shortfalls.joined(separator: ", ")])
    rows.append(["Damaged sounds", "\(totals.damaged)"])
    if 0 < missing { rows.append(["Left out", "the last \(missing) events"]) }
    return rows
  }

  private var picture: String {
    guard let sound else { return "" }
    return """
      <figure class="wide">\(ReportPicture(facts, sound).svg)</figure>
      <p>The square root of the peaks of each layer, before the master volume; below them the loudness of the output in
      LUFS. Ticks are what began; \(facts.gaps.isEmpty ? "there were no gaps" : "gaps are red").</p>

      """
  }

  private var stages: String {
    let rows = facts.stages.map { stage in
      let loudness = sound.map { Level.text($0.loudness(from: stage.begin, to: stage.end)) } ?? "–"
      return [stage.name, Self.clock(stage.begin), Self.clock(stage.end - stage.begin), loudness]
    }
    return rows.isEmpty ? "" : HTMLPage.table(["stage", "begins", "length", "LUFS"], rows)
  }

  private var cues: String {
    // What was not reached is in the order of the plan, at the end.
    let reached = facts.cues.filter { $0.actual != nil || $0.fate == .missed }
    let ordered = reached.sorted { $0.order < $1.order } + facts.cues.filter { $0.fate == .unreached }
    let rows = ordered.map { cue in
      [
        cue.kind.rawValue, cue.title, cue.planned.map(place) ?? "–", cue.actual.map(Self.exact) ?? "–", cue.fate.words,
      ]
    }
    if rows.isEmpty { return "" }
    return HTMLPage.table(["what", "title", "planned", "actual", "error in ms"], rows)
      + "<p>The error is how far it was from its place in the plan. A command that goes elsewhere changes when a place is "
      + "reached, which is no error.</p>\n" + changes
  }

  /// What has changed the plan by hand.
  private var changes: String {
    let made = facts.commands.filter { SessionFacts.changesPlan($0.name) && $0.outcome == CommandOutcome.done.words }
    if made.isEmpty { return "" }
    let words = made.map { "\($0.name) at \(Self.exact($0.at))" }.joined(separator: ", ")
    return
      "<p>The plan was changed by hand: \(words). Each cue is compared with the plan that was in force when it began."
      + "</p>\n"
  }

  /// A place in the session or, after an open stage, in its own stage.
  private func place(_ place: PlannedPlace) -> String {
    if let session = place.session { return Self.exact(session) }
    return "\(place.stageName ?? "") + \(Self.exact(place.seconds))"
  }

  private var crossfades: String {
    let rows = facts.crossfades.map { fade in
      [
        Self.exact(fade.begin), "\(JSONLine.seconds(fade.duration)) s", fade.from, fade.to,
        fade.error.map { "\(0 <= $0 ? "+" : "")\(Level.text($0)) dB" } ?? "–",
      ]
    }
    if rows.isEmpty { return "" }
    return HTMLPage.table(["begins", "length", "from", "to", "level error"], rows)
      + "<p>The level error is how far the music in the middle third is from the power of what surrounds it.</p>\n"
  }

  private var gaps: String {
    let rows = facts.gaps.map { [Self.exact($0.at), "\(JSONLine.seconds($0.seconds)) s", $0.what] }
    return rows.isEmpty ? "" : HTMLPage.table(["at", "length", "what"], rows)
  }

  private var commands: String {
    let rows = facts.commands.map { [Self.exact($0.at), $0.name, $0.outcome] }
    return rows.isEmpty ? "" : HTMLPage.table(["at", "command", "outcome"], rows)
  }

  private var notes: String {
    let rows = facts.notes.map { [Self.exact($0.at), $0.text] }
    return rows.isEmpty ? "" : HTMLPage.table(["at", "message"], rows)
  }

  private var metrics: String {
    guard let metrics = facts.metrics, 0 < metrics.totalOperations else { return "" }
    let row = { (name: String, times: QueueMetrics.Durations) in
      let all = times.total
      return [name] + [all.p50, all.p95, all.p99, all.max].map { "\(JSONLine.seconds($0)) ms" } + ["\(all.count)"]
    }
    return HTMLPage.table(
      ["", "p50", "p95", "p99", "max", "count"], [row("wait", metrics.wait), row("execution", metrics.execution)])
      + "<p>\(metrics.totalOperations) operations, \(metrics.totalFailures) failed, "
      + "\(metrics.totalCancellations) cancelled, \(metrics.rejected) rejected, \(metrics.coalesced) merged.</p>\n"
  }

  /// A time of the session with milliseconds, as 12:30.500.
  private static func exact(_ seconds: Double) -> String {
    let milliseconds = Int64((seconds * 1_000).rounded())
    let rest = String(milliseconds % 1_000)
    return clockText(Double(milliseconds / 1_000)) + "." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  private static func clock(_ seconds: Double) -> String { clockText(seconds.rounded()) }

}

extension ReportedCue {
  /// In which order it is shown, in seconds.
  fileprivate var order: Double { actual ?? planned?.session ?? .infinity }
}

extension ReportedCue.Fate {
  /// The error in milliseconds, or the fate in words.
  fileprivate var words: String {
    switch self {
    case .began(let late):
      let tenths = (late * 10_000).rounded() / 10
      return tenths == 0 ? "0" : "\(0 < tenths ? "+" : "")\(tenths)"
    case .wasPlaying: return "was playing"
    case .unplanned: return "not planned"
    case .missed: return "did not begin"
    case .unreached: return "not reached"
    }
  }
}
