import Player
import Schedule
import Signal

/// Writes the stages of a timeline as a list for other programs, which show them as the chapters of a sound file.
///
/// The frames after an open stage are unknown, so a timeline with an open stage before the last one has no such list.
struct StageList {
  private let timeline: Timeline
  private let write: TimelineReport.Writer
  private var rate: SampleRate { timeline.rate }

  init(_ timeline: Timeline, _ write: @escaping TimelineReport.Writer) {
    (self.timeline, self.write) = (timeline, write)
  }

  /// A stage with its seconds. The last one ends with the last sound, where the file ends, too.
  private var stages: [(name: String, begin: Double, end: Double?)] {
    timeline.stages.enumerated().map { index, stage in
      let isLast = index + 1 == timeline.stages.count
      let end = isLast ? timeline.end : stage.end
      return (stage.name, rate.seconds(stage.begin), end.map(rate.seconds))
    }
  }

  /// Chapters as JSON, version 1.2 of the podcast namespace.
  func chapters() {
    let tags = timeline.programme.tags
    let head: JSONLine = [
      "version": "1.2.0", "title": timeline.title, "author": IfAny(tags.artist),
      "description": IfAny(tags.description),
    ]
    let lines = stages.map { stage -> JSONLine in
      var line: JSONLine = ["startTime": Rounded(stage.begin), "title": stage.name]
      if let end = stage.end { line.add("endTime", seconds: end) }
      return line
    }
    var file = head
    file.add("chapters", written: "[\n" + lines.map { "  \($0)" }.joined(separator: ",\n") + "\n]")
    write("\(file)\n")
  }

  /// A cue sheet. Its times have 75 frames a second.
  ///
  /// - Parameter file: the name of the sound file.
  func cueSheet(of file: String) {
    let tags = timeline.programme.tags
    if let artist = tags.artist { write("PERFORMER \(quoted(artist))\n") }
    write("TITLE \(quoted(timeline.title))\n")
    write("FILE \(quoted(file)) \(Self.kind(of: file))\n")
    for (index, stage) in stages.enumerated() {
      let frames = Int((75 * stage.begin).rounded())
      let time = [frames / 75 / 60, frames / 75 % 60, frames % 75].map(two).joined(separator: ":")
      write("  TRACK \(two(index + 1)) AUDIO\n    TITLE \(quoted(stage.name))\n    INDEX 01 \(time)\n")
    }
  }

  /// Labels of Audacity: begin, end and name, separated by tabs.
  func labels() {
    for stage in stages {
      let times = [stage.begin, stage.end ?? stage.begin].map { decimals($0) }
      write("\(times[0])\t\(times[1])\t\(ReportWords.whole(stage.name))\n")
    }
  }

  /// A cue sheet can't contain a quotation mark inside of others.
  private func quoted(_ text: String) -> String {
    "\"\(ReportWords.whole(text).map { $0 == "\"" ? "'" : String($0) }.joined())\""
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Seconds with six decimals, as Audacity writes them.
  private func decimals(_ seconds: Double) -> String {
    let millionths = Int64((1_000_000 * seconds).rounded())
    let rest = "\(millionths % 1_000_000)"
    return "\(millionths / 1_000_000)." + String(repeating: "0", count: 6 - rest.count) + rest
  }

  /// The word of cue sheets for a kind of file. They call every lossless one WAVE.
  private static func kind(of file: String) -> String {
    let name = file.lowercased()
    return name.hasSuffix(".mp3") ? "MP3" : name.hasSuffix(".aiff") || name.hasSuffix(".aif") ? "AIFF" : "WAVE"
  }
}
