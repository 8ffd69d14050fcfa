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
    let time: JSONLine = ["at": Rounded(rate.seconds(moment.at)), "since": IfAny(since)]
    let command: JSONLine =
      switch moment.act {
      case .volume: ["do": "volume", "to": timeline.master.linear]
      case .enter(let stage): ["do": "goto", "stage": stage.name]
      case .cue(let cue): line(of: cue)
      case .finish(let fade): ["do": "finish", "fade": Rounded(rate.seconds(fade.length))]
      }
    return (time + command).description
  }

  /// The command of an overlay or a gong. Every repeat has its own command.
  private func line(of cue: Clip) -> JSONLine {
    let isOverlay = cue.layer == .overlay
    let head: JSONLine = [
      "do": isOverlay ? "overlay" : "gong", "op": IfAny(isOverlay ? "play" : nil),
      "sound": Self.notation(of: cue.source),
      "volume": cue.gain.linear,
    ]
    if !isOverlay { return head }
    return head + [
      "fadeIn": Rounded(rate.seconds(cue.fadeIn?.length ?? 0)),
      "fadeOut": Rounded(rate.seconds(cue.fadeOut?.length ?? 0)),
      "curve": IfAny((cue.fadeIn ?? cue.fadeOut)?.curve.rawValue), "layer": IfAny(cue.isLayer ? true : nil),
      "duck": IfAny(cue.duck.map { JSONLine($0, at: rate) }),
    ]
  }

  /// A sound in the notation of a session file: a path, an address or `generate:NAME`, or an object if the sound has a
  /// part, a seed or settings.
  private static func notation(of source: SoundSource) -> any JSONWritable {
    var (short, object): (String?, JSONLine)
    switch source.origin {
    case .file(let path): (short, object) = (path, ["file": path])
    case .remote: (short, object) = (source.label, ["url": source.label])
    case .spoken(let spoken):
      let breath = spoken.breath == Spoken.standardBreath ? nil : spoken.breath
      (short, object) = (nil, ["say": spoken.text, "voice": IfAny(spoken.voice), "breath": IfAny(breath)])
    case .generated(let recipe):
      (short, object) = (
        recipe.seed == 0 && recipe.settings.isEmpty && recipe.points.isEmpty ? "generate:\(recipe.generator)" : nil,
        ["generate": recipe.generator, "seed": IfAny(recipe.seed == 0 ? nil : recipe.seed)]
      )
      for (name, value) in recipe.settings.sorted(by: { $0.key < $1.key }) { object.add(name, value) }
      if !recipe.points.isEmpty {
        let points = recipe.points.map { point in
          var line: JSONLine = ["at": point.at]
          for (name, value) in point.settings.sorted(by: { $0.key < $1.key }) { line.add(name, value) }
          return "\(line)"
        }
        object.add("points", written: "[" + points.joined(separator: ",") + "]")
      }
    }
    if source.start == 0, source.end == nil, let short, !short.isEmpty { return short }
    return object + ["start": IfAny(source.start == 0 ? nil : source.start), "end": IfAny(source.end)]
  }
}

extension JSONLine {
  /// How an overlay lowers the music, with times in seconds.
  init(_ duck: Duck, at rate: SampleRate) {
    self = [
      "by": ReportWords.decibels(duck.depth).filter { $0 != " " }, "attack": Rounded(rate.seconds(duck.attack)),
      "release": Rounded(rate.seconds(duck.release)),
    ]
  }
}
