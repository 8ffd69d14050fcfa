import Schedule
import Signal

/// Writes a timeline as text.
struct TextReport {
  private let timeline: Timeline
  private let write: TimelineReport.Writer
  private let sheet: ReportSheet
  private var rate: SampleRate { timeline.rate }

  init(_ timeline: Timeline, _ write: @escaping TimelineReport.Writer) {
    (self.timeline, self.write, sheet) = (timeline, write, ReportSheet(of: timeline))
  }

  func report() {
    write("\(ReportWords.line(timeline.title))\n\(summary)\n")
    if !timeline.parameters.isEmpty { write("\nParameters\n") }
    for parameter in timeline.parameters { write("  \(parameter.line)\n") }
    for stage in timeline.stages { report(stage) }
    if !timeline.cues.isEmpty {
      write("\nThroughout the session\n")
      for cue in timeline.cues { write(sheet.line(of: cue)) }
    }
    if !timeline.levels.isEmpty { write("\nSounds\n") }
    for level in timeline.levels { write(sheet.line(of: level)) }
    let end = timeline.end.map { "The last sound ends at \(ReportWords.time($0, rate))." }
    write("\n\(end ?? "The listener decides when it ends.")\n")
  }

  /// The sample rate, the whole length, the master volume if it is not 0 dB, and the seed if random moments depend on it.
  private var summary: String {
    let total = timeline.end.map { ReportWords.time($0, rate) } ?? "open"
    let master = timeline.master == .unity ? "" : ", volume \(ReportWords.decibels(timeline.master))"
    let seed = timeline.seed.map { ", random moments of the seed \($0)" } ?? ""
    return "\(rate.hertz) Hz, \(total)\(master)\(seed)"
  }

  /// Writes one stage: its heading, its tracks, then its overlays and gongs.
  private func report(_ stage: Timeline.Stage) {
    write("\n" + sheet.heading(of: stage))
    for line in MusicOutline(of: stage.music) {
      switch line {
      case .clip(let clip): write(sheet.line(of: clip))
      case .passes(let passes, let end): write(sheet.line(ofPasses: passes, until: end))
      }
    }
    for cue in stage.cues { write(sheet.line(of: cue)) }
  }
}
