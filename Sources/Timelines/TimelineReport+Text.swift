import Schedule
import Signal
import Sounds

extension TimelineReport {
  /// Writes the timeline for a terminal of 100 columns: stages with their tracks and cues, at their exact times.
  package func text(_ write: Writer) {
    write("\(ReportWords.line(timeline.title))\n\(summary)\n")
    let sheet = ReportSheet(of: timeline)
    for stage in timeline.stages { self.text(of: stage, on: sheet, write) }
    if !timeline.cues.isEmpty {
      write("\nThroughout the session\n")
      for cue in timeline.cues { write(sheet.line(of: cue)) }
    }
    let end = timeline.end.map { "The last sound ends at \(ReportWords.time($0, rate))." }
    write("\n\(end ?? "The listener decides when it ends.")\n")
  }

  /// The sample rate, the whole length, and the master volume if it is not 0 dB.
  private var summary: String {
    let total = timeline.end.map { ReportWords.time($0, rate) } ?? "open"
    let master = timeline.master == .unity ? "" : ", volume \(ReportWords.decibels(timeline.master))"
    return "\(rate.hertz) Hz, \(total)\(master)"
  }

  /// Writes one stage: its heading, its tracks, then its overlays and gongs.
  private func text(of stage: Timeline.Stage, on sheet: ReportSheet, _ write: Writer) {
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

/// Formats numbers and names for the text report.
enum ReportWords {
  /// A time that always has milliseconds, so that the columns are aligned.
  static func time(_ frame: FrameTime, _ rate: SampleRate) -> String { Clock.text(frame, rate, alwaysExact: true) }

  /// A length such as `10 s` or `0.02 s`, to the millisecond and without trailing zeros.
  static func seconds(_ frames: FrameCount, _ rate: SampleRate) -> String {
    decimal(rate.seconds(frames), digits: 3) + " s"
  }

  /// A gain in decibels with one decimal; "silent" for a gain of 0, which has no decibels.
  static func decibels(_ gain: Gain) -> String {
    gain.linear <= 0 ? "silent" : decimal(gain.decibels, digits: 1) + " dB"
  }

  /// A number with at most `digits` decimals and without trailing zeros. It does not depend on the locale.
  private static func decimal(_ value: Double, digits: Int) -> String {
    var scale: Int64 = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int64((min(max(value, -1e12), 1e12) * Double(scale)).rounded())
    var text = "\(scaled.magnitude / scale.magnitude)"
    var rest = scaled.magnitude % scale.magnitude
    if rest != 0 { text += "." }
    while rest != 0 {
      rest *= 10
      text += "\(rest / scale.magnitude)"
      rest %= scale.magnitude
    }
    return (scaled < 0 ? "-" : "") + text
  }

  /// A title on one line, without control characters, at most `width` characters long.
  static func line(_ title: String, width: Int = 100) -> String {
    let clean = String(title.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 })
    return clean.count <= width ? clean : clean.prefix(width - 1) + "…"
  }
}
