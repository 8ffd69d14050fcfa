import Player
import Schedule
import SessionFiles
import Signal
import Sounds

/// Writes a timeline as one JSON object on one line. Each time appears in seconds with three decimals, and in frames.
///
/// - `title`, `sampleRate`, `volume`, `duration` and `frames` (null if a stage is open);
/// - `seed`, if random moments depend on it;
/// - `parameters`, if the session has some: `name`, `value`, `default` (null if a value must be given), `description` (null for none) and `values`
///   (empty if it can have any);
/// - `stages`: `name`, `begin`, `end`, `beginFrame`, `endFrame`, and `crossfade` with `duration`, `frames`, `curve`;
///   an open stage has null ends and `"open":true`, and the times after it count from 0 again;
///   - its `tracks`: every clip, or those of the first pass for an open stage. If the stages play more than
///     `mostTracks` together, an object with `passes`, `end` and `endFrame` replaces the passes of a repetition from
///     the third to the last but one. A clip has `title`, `index`, `pass`, `at`,
///     `atFrame`, `end`, `endFrame` (null if nothing ends it), `gain`, and `fadeIn`, `fadeOut`, `leave`, each null or
///     an object with `at`, `atFrame`, `duration`, `frames`, `curve`; and, if it is a spoken text, `captions`: each
///     sentence with `at` and `text`;
///   - its `overlays` and `gongs`: the same without `index` and `pass`; overlays also have `layer` and `duck`, which
///     is null or an object with `by`, `attack`, `release`;
/// - `overlays`, `gongs`: those of the session as a whole;
/// - `sounds`: each sound that was measured, in each layer: `title`, `layer` (`music`, `overlays` or `gongs`), `loudness`
///   in LUFS before any gain (null for silence), and `gain`, what levels it, in decibels.
struct JSONReport {
  private let timeline: Timeline
  private let write: TimelineReport.Writer
  private var rate: SampleRate { timeline.rate }

  init(_ timeline: Timeline, _ write: @escaping TimelineReport.Writer) {
    (self.timeline, self.write) = (timeline, write)
  }

  func report() {
    write("{" + summary.members + ",\"stages\":")
    let isOutlined = isOutlined
    list(timeline.stages) { report($0, isOutlined: isOutlined) }
    cues(timeline.cues)
    write(",\"sounds\":")
    list(timeline.levels) { level in
      let line: JSONLine = [
        "title": level.title, "layer": level.layer.key, "loudness": Rounded(level.loudness.ifFinite),
        "gain": Rounded(level.gain.decibels),
      ]
      write(line.description)
    }
    write("}\n")
  }

  private var summary: JSONLine {
    [
      "title": timeline.title, "sampleRate": rate.hertz, "volume": timeline.master.linear,
      "duration": Rounded(timeline.end.map(rate.seconds)), "frames": timeline.end,
      "seed": IfAny(timeline.seed),
      "parameters": IfAny(timeline.parameters.isEmpty ? nil : timeline.parameters.map(\.json)),
    ]
  }

  /// The maximum number of tracks that are listed one by one, unless the file itself lists more.
  private static let mostTracks = 10_000

  /// Whether there are so many tracks that passes are summed up, as in the text report. They are counted without
  /// stepping through them.
  private var isOutlined: Bool {
    var count = 0
    for stage in timeline.stages {
      guard let end = stage.end, let last = stage.music.trackPlay(at: end) else { continue }
      count = count.addingReportingOverflow(last.ordinal).partialValue
    }
    return !(0...Self.mostTracks).contains(count)
  }

  private func line(of line: MusicOutline.Line) -> JSONLine {
    switch line {
    case .clip(let clip): return self.line(of: clip)
    case .passes(let passes, let until):
      let end = until == .endless ? nil : until
      return ["passes": passes, "end": Rounded(end.map(rate.seconds)), "endFrame": end]
    }
  }

  /// Writes one stage as an object. Tracks and cues are written one by one, because a long stage may have thousands.
  private func report(_ stage: Timeline.Stage, isOutlined: Bool) {
    let crossfade = stage.crossfade
    let shape: JSONLine = [
      "duration": Rounded(rate.seconds(crossfade.length)), "frames": crossfade.length,
      "curve": crossfade.curve.rawValue,
    ]
    let head: JSONLine =
      ["name": stage.name] + span(stage.begin, stage.end, beginning: "begin")
      + ["open": IfAny(stage.end == nil ? true : nil), "crossfade": shape]
    write("{" + head.members + ",\"tracks\":")
    if stage.end == nil {
      list(stage.music.clips.lazy.prefix { $0.entry?.pass == 0 }) { write(line(of: $0).description) }
    } else if isOutlined {
      list(MusicOutline(of: stage.music)) { write(line(of: $0).description) }
    } else {
      list(stage.music.clips) { write(line(of: $0).description) }
    }
    cues(stage.cues)
    write("}")
  }

  /// Writes the overlays and the gongs among some cues as two members of the current object.
  private func cues(_ cues: [Clip]) {
    write(",\"overlays\":")
    list(cues.lazy.filter { $0.layer == .overlay }) { write(line(of: $0).description) }
    write(",\"gongs\":")
    list(cues.lazy.filter { $0.layer == .effect }) { write(line(of: $0).description) }
  }

  /// Writes an array element by element, so that it is never in memory as a whole.
  private func list<Values: Sequence>(_ values: Values, each: (Values.Element) -> Void) {
    var separator = "["
    for value in values {
      write(separator)
      each(value)
      separator = ","
    }
    write(separator == "[" ? "[]" : "]")
  }

  private func line(of clip: Clip) -> JSONLine {
    let head: JSONLine = ["title": clip.title, "index": IfAny(clip.entry?.index), "pass": IfAny(clip.entry?.pass)]
    let fades: JSONLine = [
      "gain": clip.gain.linear, "fadeIn": line(of: clip.fadeIn), "fadeOut": line(of: clip.fadeOut),
      "leave": line(of: clip.leave),
    ]
    let captions = clip.captions.filter { clip.at + $0.begin < clip.end }.map { caption -> JSONLine in
      ["at": Rounded(rate.seconds(clip.at + caption.begin)), "text": caption.text]
    }
    let line =
      head + span(clip.at, clip.end == .endless ? nil : clip.end, beginning: "at") + fades
      + ["captions": IfAny(captions.isEmpty ? nil : captions)]
    if clip.layer != .overlay { return line }
    return line + ["layer": clip.isLayer, "duck": clip.duck.map { JSONLine($0, at: rate) }]
  }

  /// The start and the end of something, in seconds and in frames.
  private func span(_ begin: FrameTime, _ end: FrameTime?, beginning: String) -> JSONLine {
    [
      beginning: Rounded(rate.seconds(begin)), beginning + "Frame": begin, "end": Rounded(end.map(rate.seconds)),
      "endFrame": end,
    ]
  }

  private func line(of fade: Fade?) -> JSONLine? {
    fade.map { fade in
      [
        "at": Rounded(rate.seconds(fade.start)), "atFrame": fade.start, "duration": Rounded(rate.seconds(fade.length)),
        "frames": fade.length, "curve": fade.curve.rawValue,
      ]
    }
  }
}

extension Layer {
  /// Its name in session files and reports.
  fileprivate var key: String { Session.layerKeys.first { $0.layer == self }?.key ?? rawValue }
}

extension JSONLine {
  /// The object without its braces, for an object that is written piece by piece.
  fileprivate var members: String { String(description.dropFirst().dropLast()) }
}
