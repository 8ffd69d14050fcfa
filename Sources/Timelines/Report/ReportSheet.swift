import Schedule
import Signal
import Sounds

/// Formats the lines of the text report in columns: start, end, kind, title, and then details such as fades.
///
/// Widths are in characters.
struct ReportSheet {
  static let width = 100
  /// The maximum length of a title. Longer ones are cut off, so that there is room for the details.
  private static let longestTitle = 26

  private let rate: SampleRate
  private let timeWidth: Int
  private let titleWidth: Int

  init(of timeline: Timeline) {
    rate = timeline.rate
    timeWidth = ReportWords.time(Self.latest(of: timeline), rate).count
    let titles = timeline.stages.lazy.flatMap { $0.music.tracks.map(\.title) + $0.cues.map(\.title) }
    let longest = max(titles.map(\.count).max() ?? 0, timeline.cues.map(\.title.count).max() ?? 0)
    titleWidth = min(longest, Self.longestTitle)
  }

  /// The line of a stage, with the crossfade into it.
  func heading(of stage: Timeline.Stage) -> String {
    let span = span(stage.begin, stage.end)
    guard 0 < stage.crossfade.length || stage.requestedCrossfade != nil else {
      return span + ReportWords.line(stage.name, width: Self.width - span.count) + "\n"
    }
    let name = ReportWords.line(stage.name, width: detailColumn - span.count - 2)
    var crossfade = "crossfade \(ReportWords.seconds(stage.crossfade.length, rate))"
    if let requested = stage.requestedCrossfade {
      crossfade += " instead of \(ReportWords.seconds(requested, rate)),"
    }
    crossfade += " \(stage.crossfade.curve.rawValue)"
    return laidOut(span + name, crossfade)
  }

  /// The line of one clip.
  func line(of clip: Clip) -> String {
    let kind = Self.kind(of: clip.layer)
    let title = ReportWords.line(clip.title, width: titleWidth)
    let end = clip.end == .endless ? nil : Optional(clip.end)
    return laidOut(span(clip.at, end) + "  " + padded(kind, to: 9) + title, details(of: clip))
  }

  /// The line of a sound: its loudness, and what levels it.
  func line(of level: SoundLevel) -> String {
    let title = ReportWords.line(level.title, width: titleWidth)
    let gain = level.gain == .unity ? "" : ", \(ReportWords.signed(level.gain.decibels)) dB"
    let head = padded("", to: timeWidth * 2 + 7) + padded(Self.kind(of: level.layer), to: 9) + title
    return laidOut(head, ReportWords.loudness(level.loudness) + gain)
  }

  private static func kind(of layer: Layer) -> String {
    switch layer {
    case .music: "track"
    case .overlay: "overlay"
    case .effect: "gong"
    }
  }

  /// The line that replaces the passes in the middle of a long repetition; nil if they have no end.
  func line(ofPasses passes: Int?, until end: FrameTime) -> String {
    let column = String(repeating: " ", count: timeWidth * 2 + 16)
    guard let passes else { return column + "… and so on until the listener moves on\n" }
    return column + "… and \(passes) more passes until \(ReportWords.time(end, rate))\n"
  }

  /// The column in which the details begin.
  private var detailColumn: Int { timeWidth * 2 + 18 + titleWidth }

  /// The first two columns: start and end, or "open".
  private func span(_ begin: FrameTime, _ end: FrameTime?) -> String {
    let end = end.map { ReportWords.time($0, rate) } ?? "open"
    return aligned(ReportWords.time(begin, rate)) + " – " + aligned(end) + "  "
  }

  /// A line with its details in their column, continued on further lines where they are too long for one.
  private func laidOut(_ head: String, _ details: String) -> String {
    var lines = [padded(head, to: detailColumn)]
    for word in Self.words(of: details) {
      let line = lines[lines.count - 1]
      let isFresh = line.count == detailColumn
      if !isFresh, Self.width < line.count + 1 + word.count {
        lines.append(padded("", to: detailColumn) + word)
      } else {
        lines[lines.count - 1] += (isFresh ? "" : " ") + word
      }
    }
    return details.isEmpty ? head + "\n" : lines.joined(separator: "\n") + "\n"
  }

  /// The words of the details. A number and its unit form one word, so that a line break can't separate them.
  private static func words(of details: String) -> [String] {
    details.split(separator: " ").reduce(into: []) { words, word in
      let isUnit = ["s", "s,", "dB", "dB,", "LUFS", "LUFS,"].contains(word)
      if isUnit, let number = words.popLast() { words.append(number + " " + word) } else { words.append(String(word)) }
    }
  }

  /// Volume, fades and ducking of a clip.
  private func details(of clip: Clip) -> String {
    var phrases: [String] = []
    if clip.gain != .unity { phrases.append("volume \(ReportWords.decibels(clip.gain))") }
    phrases += fades(of: clip)
    if let duck = clip.duck {
      let times = "in \(ReportWords.seconds(duck.attack, rate)), back in \(ReportWords.seconds(duck.release, rate))"
      phrases.append("music \(ReportWords.decibels(duck.depth)) \(times)")
    }
    return phrases.joined(separator: ", ")
  }

  /// The fades of a clip. The curve is named only once if several fades share it.
  private func fades(of clip: Clip) -> [String] {
    var fades: [(text: String, curve: FadeCurve)] = []
    if let fade = clip.fadeIn { fades.append(("in \(ReportWords.seconds(fade.length, rate))", fade.curve)) }
    if let fade = clip.fadeOut { fades.append(("out \(ReportWords.seconds(fade.length, rate))", fade.curve)) }
    if let fade = clip.leave {
      let start = ReportWords.time(fade.start, rate)
      fades.append(("leaves at \(start) over \(ReportWords.seconds(fade.length, rate))", fade.curve))
    }
    return fades.indices.map { index in
      let isShared = index + 1 < fades.count && fades[index + 1].curve == fades[index].curve
      return fades[index].text + (isShared ? "" : " \(fades[index].curve.rawValue)")
    }
  }

  /// A time, aligned to the right in its column.
  private func aligned(_ time: String) -> String {
    String(repeating: " ", count: max(0, timeWidth - time.count)) + time
  }

  private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// The latest time in the report, which determines the width of the time columns. An open stage counts with two
  /// passes of its tracks.
  private static func latest(of timeline: Timeline) -> FrameTime {
    var latest = timeline.cues.lazy.map(\.end).filter { $0 != .endless }.max() ?? 0
    for stage in timeline.stages {
      latest = max(latest, stage.end ?? 0, stage.music.ending?.end ?? 0)
      latest = max(latest, stage.cues.lazy.map(\.end).filter { $0 != .endless }.max() ?? 0)
      if stage.end != nil { continue }
      let once = stage.music.tracks.reduce(0.0) { $0 + ($1.length == .endless ? 0 : Double($1.length)) }
      latest = max(latest, FrameTime(nearest: Double(stage.begin) + 2 * once))
    }
    return latest
  }
}
