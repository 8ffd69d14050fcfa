import Markup
import Schedule
import Signal

/// Reads stages, and checks which of a stage's keys contradict each other.
struct StageReader {
  private let sounds: SoundReader
  private let cues: CueReader
  private var problems: Problems { sounds.problems }

  /// The keys of a stage, in the order in which error messages list them.
  private static let keys = [
    "name", "duration", "tracks", "repeat", "repeatCount", "volume", "crossfade", "stretch", "overlays", "gongs",
    "include", "set",
  ]

  init(_ sounds: SoundReader) { (self.sounds, cues) = (sounds, CueReader(sounds)) }

  /// Reads all stages. `crossfade` is the session's default, which applies to stages without one of their own.
  func stages(_ value: Value?, crossfade: Session.Crossfade) -> [Session.Stage] {
    let elements = value?.elements() ?? []
    if let value, elements.isEmpty, case .list = value.node.content {
      problems.report(.empty, value.location, "'stages' is empty", fix: "add a stage")
    }
    // Stages above the limit are not read, so that a hostile file can't cause a million errors.
    if Session.Limit.stages < elements.count {
      problems.report(
        .tooLarge, elements[Session.Limit.stages].location, "\(elements.count) stages, above the limit of 1000",
        fix: "split it into several sessions")
    }
    var names: [String: SourceLocation] = [:]
    return elements.prefix(Session.Limit.stages).enumerated().compactMap { index, element in
      guard let fields = Fields(element, "a stage", keys: Self.keys, required: ["name"], problems) else { return nil }
      checkName(fields["name"], against: &names)
      return stage(fields, isFirst: index == 0, crossfade: crossfade)
    }
  }

  /// Reports a stage name that an earlier stage already has; `goto` and `--stage` refer to stages by name.
  private func checkName(_ value: Value?, against names: inout [String: SourceLocation]) {
    guard let value, let name = value.node.string else { return }
    guard let first = names[name] else { return names[name] = value.location }
    problems.report(
      .duplicateName, value.location,
      "the stage name '\(shown(name))' appears twice, first in \(first.named(at: value.location))",
      fix: "give each stage its own name")
  }

  /// One stage. `repeat` is `playlist` by default for a stage with a duration, and `off` for one without.
  private func stage(_ fields: Fields, isFirst: Bool, crossfade: Session.Crossfade) -> Session.Stage {
    var stage = Session.Stage(
      name: fields["name"]?.name ?? "", duration: duration(fields["duration"]),
      tracks: sounds.sounds(fields["tracks"]?.elements(ofWords: true) ?? []),
      repetition: repetition(fields) ?? (fields["duration"] == nil ? .off : .playlist),
      repeatCount: fields["repeatCount"]?.wholeNumber(in: 0...Session.Limit.cues),
      volume: fields["volume"]?.volume() ?? .unity,
      crossfade: Self.crossfade(fields["crossfade"], default: crossfade),
      overlays: cues.overlays(fields["overlays"]), gongs: cues.gongs(fields["gongs"]), location: fields.location)
    stage.stretches = fields["stretch"]?.flag ?? true
    checkMusic(stage, fields)
    checkRepeats(stage, fields)
    warnOfUselessRepeats(stage, fields)
    checkCrossfade(stage, fields, isFirst: isFirst)
    return stage
  }

  /// How the tracks repeat. For values such as `"forever"` or `3` the error names the keys to use instead.
  private func repetition(_ fields: Fields) -> RepeatMode? {
    guard let value = fields["repeat"] else { return nil }
    if let text = value.node.inJSON, Self.unlimitedWords.contains(text.lowercased()) {
      let fix =
        fields["duration"] == nil
        ? "\"playlist\" or \"track\" and give the stage a \"duration\", which may be \"open\", or write \"off\""
        : "\"playlist\", \"track\" or \"off\""
      return value.refused(fix: "write \(fix)")
    }
    if case .word(let word) = value.node.content, Node.isNumber(word) {
      let fix = word == "0" ? "\"off\"" : "\"repeat\": \"playlist\", \"repeatCount\": \(word)"
      return value.refused("is \(word)", fix: "write \(fix)")
    }
    return value.choice()
  }

  /// What people write when a stage should repeat without a limit: in lower case and quoted as by `inJSON`.
  private static let unlimitedWords: Set<String> = [
    "\"forever\"", "\"always\"", "\"endless\"", "\"infinite\"", "\"loop\"", "\"all\"", "\"on\"", "\"yes\"", "true",
  ]

  /// The duration of a stage. An invalid one is replaced by the maximum, so that no position is reported as outside the
  /// stage.
  private func duration(_ value: Value?) -> Session.StageDuration {
    guard let value else { return .natural }
    return value.node.string == "open" ? .open : .seconds(value.interval ?? Session.Limit.session)
  }

  /// A crossfade: a group, or only its duration. Missing keys have the values of `standard`.
  static func crossfade(_ value: Value?, default standard: Session.Crossfade) -> Session.Crossfade {
    guard let value else { return standard }
    guard case .map = value.node.content else {
      return Session.Crossfade(duration: value.fade ?? standard.duration, curve: standard.curve)
    }
    guard let fields = value.group("'crossfade'", keys: ["duration", "curve"]) else { return standard }
    return Session.Crossfade(
      duration: fields["duration"]?.fade ?? standard.duration, curve: fields["curve"]?.curve ?? standard.curve)
  }

  /// Reports a stage without tracks and duration, and an endless track after which other tracks never play.
  private func checkMusic(_ stage: Session.Stage, _ fields: Fields) {
    let named = "the stage '\(shown(stage.name))'"
    if stage.duration == .natural, hasNoTracks(fields) {
      problems.report(
        .missingKey, fields.location, "\(named) has neither tracks nor a duration",
        fix: "add \"duration\" for a silent sit, or \"tracks\"")
    }
    guard let endless = stage.tracks.first(where: sounds.isEndless) else { return }
    if stage.duration == .natural {
      problems.report(
        .endless, endless.location, "'\(shown(endless.title))' never ends, and \(named) has no duration",
        fix: "give the stage a \"duration\"")
    } else if let last = stage.tracks.last, endless.location != last.location {
      problems.warn(
        .neverPlays, endless.location, "'\(shown(endless.title))' never ends, so the tracks after it never play",
        fix: "give it an \"end\", or make it the last track")
    }
  }

  /// Whether the file lists no tracks. A value that is not a list is reported elsewhere, so it counts as tracks here.
  private func hasNoTracks(_ fields: Fields) -> Bool {
    guard let value = fields["tracks"] else { return true }
    if case .list(let tracks) = value.node.content { return tracks.isEmpty }
    return false
  }

  /// Reports repeats that contradict the duration.
  private func checkRepeats(_ stage: Session.Stage, _ fields: Fields) {
    // A count without repeats is probably a mistake, so it is an error and not a warning.
    if fields["repeatCount"] != nil, stage.repetition == .off {
      let off =
        fields["repeat"].map { "'repeat' is off in line \($0.location.line)" }
        ?? "a stage without a duration does not repeat"
      problems.report(
        .noEffect, fields.location(of: "repeatCount"), "'repeatCount' has no effect, because \(off)",
        fix: "add \"repeat\": \"playlist\", or remove it")
    }
    // Without a duration, a stage ends with its last pass, so there must be one.
    if stage.duration == .natural, stage.repetition != .off, fields["repeatCount"] == nil {
      problems.report(
        .endless, fields.location(of: "repeat"), "the stage '\(shown(stage.name))' would repeat forever",
        fix: "add \"repeatCount\", or a \"duration\", which may be \"open\"")
    }
  }

  /// Warns of repeats that have no effect.
  private func warnOfUselessRepeats(_ stage: Session.Stage, _ fields: Fields) {
    // The first track repeats until the stage ends.
    if stage.duration != .natural, stage.repetition == .track, fields["repeatCount"] == nil, 1 < stage.tracks.count {
      problems.warn(
        .neverPlays, stage.tracks[1].location,
        "'\(shown(stage.tracks[0].title))' repeats forever, so the tracks after it never play",
        fix: "add \"repeatCount\", or write \"repeat\": \"playlist\"")
    }
    let warn = { (key: String) in
      problems.warn(
        .noEffect, fields.location(of: key), "'\(key)' has no effect without tracks",
        fix: "add \"tracks\", or remove it")
    }
    if stage.repetition == .off { return }
    if fields["repeat"]?.node.string == stage.repetition.rawValue, stage.tracks.isEmpty { warn("repeat") }
    if stage.repeatCount != nil, stage.duration != .natural, hasNoTracks(fields) { warn("repeatCount") }
  }

  /// Warns of a crossfade into a stage that is longer than the stage. The first stage begins with the session's fade-in,
  /// so the session's default crossfade is not checked for it.
  private func checkCrossfade(_ stage: Session.Stage, _ fields: Fields, isFirst: Bool) {
    guard case .seconds(let length) = stage.duration, length < stage.crossfade.duration else { return }
    let own = fields["crossfade"]
    if isFirst, own == nil { return }
    let whose = own.map { "the crossfade in \($0.location.named(at: fields.location))" } ?? "the session's crossfade"
    problems.warn(
      .fadeTooLong, fields.location(of: own == nil ? "duration" : "crossfade"),
      "\(whose) takes \(TimeSpelling.text(stage.crossfade.duration)), but the stage '\(shown(stage.name))' lasts only "
        + TimeSpelling.text(length), fix: "shorten the crossfade or lengthen the stage")
  }
}
