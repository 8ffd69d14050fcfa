import Player
import Schedule
import Signal
import Sounds

/// Writes the sentences of a timeline with their times, for programs that show them beside the sound.
///
/// A timeline with an open stage has no such list.
package struct CaptionList {
  /// A format, named by its suffix.
  package enum Format: String, Sendable, CaseIterable {
    /// WebVTT.
    case vtt
    /// SubRip.
    case srt
    /// Lyrics, with the beginnings of the sentences only.
    case lrc
  }

  private let timeline: Timeline
  private let format: Format
  private var rate: SampleRate { timeline.rate }

  init(_ timeline: Timeline, _ format: Format) { (self.timeline, self.format) = (timeline, format) }

  /// A sentence with its seconds.
  private struct Sentence {
    var begin: Double
    var end: Double
    var text: String
  }

  /// The sentences in the order in which they begin, as the events of the player report them.
  private var sentences: [Sentence] {
    let schedule = Schedule(timeline.programme)
    return schedule.events(in: 0..<(timeline.end ?? 0)).compactMap { occurrence in
      guard case .caption(let text, _, let duration) = occurrence.event else { return nil }
      let begin = rate.seconds(occurrence.at)
      return Sentence(begin: begin, end: begin + duration, text: ReportWords.whole(text))
    }
  }

  func write(_ write: TimelineReport.Writer) {
    switch format {
    case .vtt:
      write("WEBVTT\n")
      for sentence in sentences {
        write("\n\(clock(sentence.begin)) --> \(clock(sentence.end))\n\(escaped(sentence.text))\n")
      }
    case .srt:
      for (index, sentence) in sentences.enumerated() {
        let times = [sentence.begin, sentence.end].map { clock($0, decimal: ",") }
        write("\(index == 0 ? "" : "\n")\(index + 1)\n\(times[0]) --> \(times[1])\n\(sentence.text)\n")
      }
    case .lrc:
      write("[ti:\(ReportWords.whole(timeline.title))]\n")
      if let artist = timeline.programme.tags.artist { write("[ar:\(ReportWords.whole(artist))]\n") }
      if let end = timeline.end { write("[length:\(minutes(rate.seconds(end)).prefix { $0 != "." })]\n") }
      for sentence in sentences { write("[\(minutes(sentence.begin))]\(sentence.text)\n") }
    }
  }

  /// A time as `00:01:02.500`.
  private func clock(_ seconds: Double, decimal: String = ".") -> String {
    let milliseconds = Int((1_000 * seconds).rounded())
    let whole = milliseconds / 1_000
    let rest = "\(1_000 + milliseconds % 1_000)".dropFirst()
    return [whole / 3_600, whole / 60 % 60, whole % 60].map(two).joined(separator: ":") + decimal + rest
  }

  /// A time as `01:02.50`. Lyrics have no hours.
  private func minutes(_ seconds: Double) -> String {
    let hundredths = Int((100 * seconds).rounded())
    return "\(two(hundredths / 6_000)):\(two(hundredths / 100 % 60)).\(two(hundredths % 100))"
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// In WebVTT, these characters begin tags and entities, and an arrow divides two times.
  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
