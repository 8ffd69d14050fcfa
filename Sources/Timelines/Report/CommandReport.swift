import Player
import Schedule
import Signal
import Sounds

/// Writes a timeline as commands in order of time, one JSON object per line.
///
/// The commands are the master volume if it is not 1, a `goto` for each stage, one for each overlay and gong, and a
/// `finish` where the last stage's fade-out begins. `at` is in seconds. After an open stage it counts from the moment
/// at which the listener goes to the next stage; `since` then names that stage.
struct CommandReport {
  private let timeline: Timeline
  private let write: TimelineReport.Writer
  private var rate: SampleRate { timeline.rate }

  init(_ timeline: Timeline, _ write: @escaping TimelineReport.Writer) {
    (self.timeline, self.write) = (timeline, write)
  }

  func report() {
    for run in timeline.runs {
      let since = run.lowerBound == 0 ? nil : timeline.stages[run.lowerBound].name
      for moment in moments(of: run) { write(line(of: moment, since: since) + "\n") }
    }
  }

  /// The command of a line.
  private enum Act {
    case volume
    case enter(Timeline.Stage)
    case cue(Clip)
    case finish(Fade)
  }

  /// A command and the frame at which it is due.
  private struct Moment {
    var at: FrameTime
    var act: Act
  }

  /// The commands of one run of stages, in order. Cues at the frame at which the next stage begins come before its
  /// `goto`.
  private func moments(of run: Range<Int>) -> [Moment] {
    var moments: [Moment] = []
    if run.lowerBound == 0, timeline.master != .unity { moments.append(Moment(at: 0, act: .volume)) }
    for stage in timeline.stages[run] {
      moments.append(Moment(at: stage.begin, act: .enter(stage)))
      moments += stage.cues.map { Moment(at: $0.at, act: .cue($0)) }
    }
    if run.lowerBound == 0 { moments += timeline.cues.map { Moment(at: $0.at, act: .cue($0)) } }
    // Only the last stage fades out; the others end in the crossfade of the next `goto`.
    let ending = run.upperBound == timeline.stages.count ? timeline.stages.last?.music.ending : nil
    if let ending, ending.kind == .fadeOut {
      moments.append(Moment(at: ending.fade.start, act: .finish(ending.fade)))
    }
    let ordered = moments.indices.sorted { (moments[$0].at, $0) < (moments[$1].at, $1) }
    return ordered.map { moments[$0] }
  }

  private func line(of moment: Moment, since: String?) -> String {
    var line = JSONLine()
    line.add("at", seconds: rate.seconds(moment.at))
    if let since { line.add("since", since) }
    switch moment.act {
    case .volume:
      line.add("do", "volume")
      line.add("to", timeline.master.linear)
    case .enter(let stage):
      line.add("do", "goto")
      line.add("stage", stage.name)
    case .cue(let cue): add(cue, to: &line)
    case .finish(let fade):
      line.add("do", "finish")
      line.add("fade", seconds: rate.seconds(fade.length))
    }
    return line.description
  }

  /// Adds an overlay or a gong. Every repeat has its own command.
  private func add(_ cue: Clip, to line: inout JSONLine) {
    let isOverlay = cue.layer == .overlay
    line.add("do", isOverlay ? "overlay" : "gong")
    if isOverlay { line.add("op", "play") }
    line.add("sound", source: cue.source)
    line.add("volume", cue.gain.linear)
    if isOverlay { addOverlayKeys(of: cue, to: &line) }
  }

  /// Adds the properties that only overlays have.
  private func addOverlayKeys(of overlay: Clip, to line: inout JSONLine) {
    line.add("fadeIn", seconds: rate.seconds(overlay.fadeIn?.length ?? 0))
    line.add("fadeOut", seconds: rate.seconds(overlay.fadeOut?.length ?? 0))
    if let fade = overlay.fadeIn ?? overlay.fadeOut { line.add("curve", fade.curve.rawValue) }
    if overlay.isLayer { line.add("layer", true) }
    if let duck = overlay.duck { line.add("duck", JSONLine(duck, at: rate)) }
  }
}

extension JSONLine {
  /// How an overlay lowers the music, with times in seconds.
  init(_ duck: Duck, at rate: SampleRate) {
    self.init()
    add("by", ReportWords.decibels(duck.depth).filter { $0 != " " })
    add("attack", seconds: rate.seconds(duck.attack))
    add("release", seconds: rate.seconds(duck.release))
  }

  /// Adds a sound in the notation of a session file: a path, an address or `generate:NAME`, or an object if the sound
  /// has a part, a seed or settings.
  fileprivate mutating func add(_ key: String, source: SoundSource) {
    var object = JSONLine()
    var short: String
    switch source.origin {
    case .file(let path): (short, _) = (path, object.add("file", path))
    case .remote:
      short = source.label
      object.add("url", short)
    case .generated(let recipe):
      short = "generate:\(recipe.generator)"
      object.add("generate", recipe.generator)
      if recipe.seed != 0 { object.add("seed", recipe.seed) }
      for (name, value) in recipe.settings.sorted(by: { $0.key < $1.key }) { object.add(name, value) }
      if recipe.seed != 0 || !recipe.settings.isEmpty { short = "" }
    }
    if source.start != 0 { object.add("start", source.start) }
    if let end = source.end { object.add("end", end) }
    let isPlain = source.start == 0 && source.end == nil && !short.isEmpty
    if isPlain { add(key, short) } else { add(key, object) }
  }
}
