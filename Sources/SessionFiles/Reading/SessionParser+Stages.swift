import Markup
import Schedule
import Signal

/// Reads stages, and checks which of a stage's keys contradict each other.
extension SessionParser {
  /// The keys of a stage, in the order in which error messages list them.
  private static let keys = [
    "name", "duration", "tracks", "repeat", "repeatCount", "volume", "crossfade", "overlays", "gongs",
  ]

  /// Reads all stages. `crossfade` is the session's default, which applies to stages without one of their own.
  mutating func stages(_ node: Node?, crossfade: Session.Crossfade) -> [Session.Stage] {
    let elements = list(node, "stages")
    if let node, elements.isEmpty, case .list = node.content {
      report(node.location, "'stages' is empty", fix: "add a stage")
    }
    // Stages above the limit are not read, so that a hostile file can't cause a million errors.
    if Limit.stages < elements.count {
      report(
        elements[Limit.stages].location, "\(elements.count) stages, above the limit of 1000",
        fix: "split it into several sessions")
    }
    var names: [String: SourceLocation] = [:]
    return elements.prefix(Limit.stages).enumerated().compactMap { index, element in
      guard let fields = fields(element, "a stage", keys: Self.keys, required: ["name"]) else { return nil }
      checkName(fields, against: &names)
      return stage(fields, index: index, crossfade: crossfade)
    }
  }

  /// Reports a stage name that an earlier stage already has; `goto` and `--stage` refer to stages by name.
  private mutating func checkName(_ fields: Fields, against names: inout [String: SourceLocation]) {
    guard let node = fields["name"], let name = node.string else { return }
    if let first = names[name] {
      report(
        node.location, "the stage name '\(shown(name))' appears twice, first in line \(first.line)",
        fix: "give each stage its own name")
    } else {
      names[name] = node.location
    }
  }

  /// One stage. `repeat` is `playlist` by default for a stage with a duration, and `off` for one without.
  private mutating func stage(_ fields: Fields, index: Int, crossfade: Session.Crossfade) -> Session.Stage {
    let stage = Session.Stage(
      name: name(fields["name"], "name") ?? "", duration: stageDuration(fields["duration"]),
      tracks: list(fields["tracks"], "tracks", ofWords: true).compactMap { sound($0) },
      repetition: repetition(fields)
        ?? (fields["duration"] == nil ? .off : .playlist),
      repeatCount: wholeNumber(fields["repeatCount"], "repeatCount", in: 0...Limit.cues),
      volume: volume(fields["volume"]) ?? .unity,
      crossfade: self.crossfade(fields["crossfade"], default: crossfade),
      overlays: overlays(fields["overlays"]), gongs: gongs(fields["gongs"]), location: fields.location)
    checkMusic(stage, fields)
    checkRepeats(stage, fields)
    checkCrossfade(stage, fields, isFirst: index == 0)
    return stage
  }

  /// How the tracks repeat. For values such as `"forever"` or `3` the error names the keys to use instead.
  private mutating func repetition(_ fields: Fields) -> RepeatMode? {
    guard let node = fields["repeat"] else { return nil }
    if let text = node.inJSON, Self.unlimitedWords.contains(text.lowercased()) {
      let fix =
        fields["duration"] == nil
        ? "\"playlist\" or \"track\" and give the stage a \"duration\", which may be \"open\", or write \"off\""
        : "\"playlist\", \"track\" or \"off\""
      report(
        node.location, "'repeat' is \(node.string.map { "'\($0)'" } ?? node.found)",
        fix: "write \(fix)")
      return nil
    }
    if case .word(let word) = node.content, Node.isNumber(word) {
      let fix = word == "0" ? "\"off\"" : "\"repeat\": \"playlist\", \"repeatCount\": \(word)"
      report(node.location, "'repeat' is \(word)", fix: "write \(fix)")
      return nil
    }
    return choice(node, "repeat", of: RepeatMode.self)
  }

  /// What people write when a stage should repeat without a limit: in lower case and quoted as by `inJSON`.
  private static let unlimitedWords: Set<String> = [
    "\"forever\"", "\"always\"", "\"endless\"", "\"infinite\"", "\"loop\"", "\"all\"", "\"on\"", "\"yes\"", "true",
  ]

  /// The duration of a stage. An invalid one is replaced by the maximum, so that no position is reported as outside the
  /// stage.
  private mutating func stageDuration(_ node: Node?) -> Session.StageDuration {
    guard let node else { return .natural }
    if node.string == "open" { return .open }
    return .seconds(interval(node, "duration") ?? Limit.session)
  }

  /// A crossfade: a group, or only its duration. Missing keys have the values of `standard`.
  mutating func crossfade(_ node: Node?, default standard: Session.Crossfade) -> Session.Crossfade {
    guard let node else { return standard }
    guard case .map = node.content else {
      return Session.Crossfade(duration: fade(node, "crossfade") ?? standard.duration, curve: standard.curve)
    }
    guard let fields = fields(node, "'crossfade'", keys: ["duration", "curve"]) else { return standard }
    return Session.Crossfade(
      duration: fade(fields["duration"], "duration") ?? standard.duration,
      curve: curve(fields["curve"]) ?? standard.curve)
  }

  /// Reports a stage without tracks and duration, and an endless track after which other tracks never play.
  private mutating func checkMusic(_ stage: Session.Stage, _ fields: Fields) {
    let named = "the stage '\(shown(stage.name))'"
    if stage.duration == .natural, hasNoTracks(fields["tracks"]) {
      report(
        fields.location, "\(named) has neither tracks nor a duration",
        fix: "add \"duration\" for a silent sit, or \"tracks\"")
    }
    guard let endless = stage.tracks.first(where: isEndless) else { return }
    if stage.duration == .natural {
      report(
        endless.location, "'\(shown(endless.title))' never ends, and \(named) has no duration",
        fix: "give the stage a \"duration\"")
    } else if let last = stage.tracks.last, endless.location != last.location {
      problems.warn(
        endless.location, "'\(shown(endless.title))' never ends, so the tracks after it never play",
        fix: "give it an \"end\", or make it the last track")
    }
  }

  /// Whether the file lists no tracks. A value that is not a list is reported elsewhere, so it counts as tracks here.
  private func hasNoTracks(_ node: Node?) -> Bool {
    guard let node else { return true }
    if case .list(let tracks) = node.content { return tracks.isEmpty }
    return false
  }

  /// Reports repeats that contradict the duration, and warns of repeats that have no effect.
  private mutating func checkRepeats(_ stage: Session.Stage, _ fields: Fields) {
    // A count without repeats is probably a mistake, so it is an error and not a warning.
    if fields["repeatCount"] != nil, stage.repetition == .off {
      let off =
        fields["repeat"].map { "'repeat' is off in line \($0.location.line)" }
        ?? "a stage without a duration does not repeat"
      report(
        fields.location(of: "repeatCount"), "'repeatCount' has no effect, because \(off)",
        fix: "add \"repeat\": \"playlist\", or remove it"
      )
    }
    // Without a duration, a stage ends with its last pass, so there must be one.
    if stage.duration == .natural, stage.repetition != .off, fields["repeatCount"] == nil {
      report(
        fields.location(of: "repeat"), "the stage '\(shown(stage.name))' would repeat forever",
        fix: "add \"repeatCount\", or a \"duration\", which may be \"open\"")
    }
    // The first track repeats until the stage ends.
    if stage.duration != .natural, stage.repetition == .track, fields["repeatCount"] == nil, 1 < stage.tracks.count {
      problems.warn(
        stage.tracks[1].location,
        "'\(shown(stage.tracks[0].title))' repeats forever, so the tracks after it never play",
        fix: "add \"repeatCount\", or write \"repeat\": \"playlist\"")
    }
    if fields["repeat"]?.string == stage.repetition.rawValue, stage.repetition != .off, stage.tracks.isEmpty {
      problems.warn(
        fields.location(of: "repeat"), "'repeat' has no effect without tracks", fix: "add \"tracks\", or remove it")
    }
    if stage.repeatCount != nil, stage.repetition != .off, stage.duration != .natural, hasNoTracks(fields["tracks"]) {
      problems.warn(
        fields.location(of: "repeatCount"), "'repeatCount' has no effect without tracks",
        fix: "add \"tracks\", or remove it")
    }
  }

  /// Warns of a crossfade into a stage that is longer than the stage. The first stage begins with the session's fade-in,
  /// so the session's default crossfade is not checked for it.
  private mutating func checkCrossfade(_ stage: Session.Stage, _ fields: Fields, isFirst: Bool) {
    guard case .seconds(let length) = stage.duration, length < stage.crossfade.duration else { return }
    if isFirst, fields["crossfade"] == nil { return }
    let whose = fields["crossfade"].map { "the crossfade in line \($0.location.line)" } ?? "the session's crossfade"
    problems.warn(
      fields.location(of: fields["crossfade"] == nil ? "duration" : "crossfade"),
      "\(whose) takes \(TimeSpelling.text(stage.crossfade.duration)), but the stage '\(shown(stage.name))' lasts only \(TimeSpelling.text(length))",
      fix: "shorten the crossfade or lengthen the stage")
  }
}
