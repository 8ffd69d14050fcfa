import Schedule
import Signal

/// Stages: what each holds, and what can't be true together within one.
extension SessionParser {
  private static let keys = [
    "name", "duration", "tracks", "repeat", "repeatCount", "volume", "crossfade", "overlays", "gongs",
  ]

  mutating func stages(_ node: Markup?, crossfade: Session.Crossfade) -> [Session.Stage] {
    let elements = list(node, "stages")
    if let node, elements.isEmpty, case .list = node.content {
      report(node.place, "'stages' is empty", mend: "add a stage")
    }
    if Limit.stages < elements.count {
      report(
        elements[Limit.stages].place, "\(elements.count) stages, above the limit of 1000",
        mend: "cut the session into several")
    }
    var names: [String: Place] = [:]
    return elements.prefix(Limit.stages).enumerated().compactMap { index, element in
      guard let fields = fields(element, "a stage", keys: Self.keys, required: ["name"]) else { return nil }
      checkName(fields, against: &names)
      return stage(fields, index: index, crossfade: crossfade)
    }
  }

  private mutating func checkName(_ fields: Fields, against names: inout [String: Place]) {
    guard let node = fields["name"], let name = node.string else { return }
    if let first = names[name] {
      report(
        node.place, "the stage name '\(shown(name))' appears twice, first in line \(first.line)",
        mend: "give each stage its own name")
    } else {
      names[name] = node.place
    }
  }

  private mutating func stage(_ fields: Fields, index: Int, crossfade: Session.Crossfade) -> Session.Stage {
    let stage = Session.Stage(
      name: name(fields["name"], "name") ?? "", duration: stageDuration(fields["duration"]),
      tracks: list(fields["tracks"], "tracks", ofWords: true).compactMap { sound($0) },
      repetition: repetition(fields)
        ?? (fields["duration"] == nil ? .off : .playlist),
      repeatCount: wholeNumber(fields["repeatCount"], "repeatCount", in: 0...Limit.cues),
      volume: volume(fields["volume"]) ?? .unity,
      crossfade: self.crossfade(fields["crossfade"], default: crossfade),
      overlays: overlays(fields["overlays"]), gongs: gongs(fields["gongs"]), place: fields.place)
    checkMusic(stage, fields)
    checkRepeats(stage, fields)
    checkCrossfade(stage, fields, isFirst: index == 0)
    return stage
  }

  private mutating func repetition(_ fields: Fields) -> RepeatMode? {
    guard let node = fields["repeat"] else { return nil }
    if let text = node.inJSON, Self.wordsForEver.contains(text.lowercased()) {
      let mend =
        fields["duration"] == nil
        ? "\"playlist\" or \"track\" and give the stage a \"duration\", which may be \"open\", or write \"off\""
        : "\"playlist\", \"track\" or \"off\""
      report(
        node.place, "'repeat' is \(node.string.map { "'\($0)'" } ?? node.found)",
        mend: "write \(mend)")
      return nil
    }
    if case .word(let word) = node.content, Markup.isNumber(word) {
      report(node.place, "'repeat' is \(word)", mend: "write \"repeat\": \"playlist\", \"repeatCount\": \(word)")
      return nil
    }
    return choice(node, "repeat", of: RepeatMode.self)
  }

  /// What people write who want a stage to repeat without a bound.
  private static let wordsForEver: Set<String> = [
    "\"forever\"", "\"always\"", "\"endless\"", "\"infinite\"", "\"loop\"", "\"all\"", "\"on\"", "\"yes\"", "true",
  ]

  private mutating func stageDuration(_ node: Markup?) -> Session.StageDuration {
    guard let node else { return .natural }
    if node.string == "open" { return .open }
    return .seconds(interval(node, "duration") ?? Limit.session)
  }

  mutating func crossfade(_ node: Markup?, default standard: Session.Crossfade) -> Session.Crossfade {
    guard let node else { return standard }
    guard case .map = node.content else {
      return Session.Crossfade(duration: fade(node, "crossfade") ?? standard.duration, curve: standard.curve)
    }
    guard let fields = fields(node, "'crossfade'", keys: ["duration", "curve"]) else { return standard }
    return Session.Crossfade(
      duration: fade(fields["duration"], "duration") ?? standard.duration,
      curve: curve(fields["curve"]) ?? standard.curve)
  }

  private mutating func checkMusic(_ stage: Session.Stage, _ fields: Fields) {
    let named = "the stage '\(shown(stage.name))'"
    if stage.duration == .natural, hasNoTracks(fields["tracks"]) {
      report(
        fields.place, "\(named) has neither tracks nor a duration",
        mend: "add \"duration\" for a silent sit, or \"tracks\"")
    }
    guard let endless = stage.tracks.first(where: isEndless) else { return }
    if stage.duration == .natural {
      report(
        endless.place, "'\(shown(endless.title))' never ends, and \(named) has no duration",
        mend: "give the stage a \"duration\"")
    } else if let last = stage.tracks.last, endless.place != last.place {
      problems.warn(
        endless.place, "'\(shown(endless.title))' never ends, so the tracks after it never play",
        mend: "give it an \"end\", or make it the last track")
    }
  }

  /// Whether none are meant; what is no list is told of elsewhere.
  private func hasNoTracks(_ node: Markup?) -> Bool {
    guard let node else { return true }
    if case .list(let tracks) = node.content { return tracks.isEmpty }
    return false
  }

  private mutating func checkRepeats(_ stage: Session.Stage, _ fields: Fields) {
    if fields["repeatCount"] != nil, stage.repetition == .off {
      let off =
        fields["repeat"].map { "'repeat' is off in line \($0.place.line)" }
        ?? "a stage without a duration does not repeat"
      report(
        fields.place(of: "repeatCount"), "'repeatCount' has no effect, because \(off)",
        mend: "add \"repeat\": \"playlist\", or remove it"
      )
    }
    if stage.duration == .natural, stage.repetition != .off, fields["repeatCount"] == nil {
      report(
        fields.place(of: "repeat"), "the stage '\(shown(stage.name))' would repeat forever",
        mend: "add \"repeatCount\", or a \"duration\", which may be \"open\"")
    }
    if stage.duration != .natural, stage.repetition == .track, fields["repeatCount"] == nil, 1 < stage.tracks.count {
      problems.warn(
        stage.tracks[1].place, "'\(shown(stage.tracks[0].title))' repeats forever, so the tracks after it never play",
        mend: "add \"repeatCount\", or write \"repeat\": \"playlist\"")
    }
    if fields["repeat"]?.string == stage.repetition.rawValue, stage.repetition != .off, stage.tracks.isEmpty {
      problems.warn(fields.place(of: "repeat"), "'repeat' without tracks", mend: "add \"tracks\", or remove it")
    }
    if stage.repeatCount != nil, stage.repetition != .off, stage.duration != .natural, hasNoTracks(fields["tracks"]) {
      problems.warn(
        fields.place(of: "repeatCount"), "'repeatCount' without tracks", mend: "add \"tracks\", or remove it")
    }
  }

  private mutating func checkCrossfade(_ stage: Session.Stage, _ fields: Fields, isFirst: Bool) {
    guard case .seconds(let length) = stage.duration, length < stage.crossfade.duration else { return }
    if isFirst, fields["crossfade"] == nil { return }
    let whose = fields["crossfade"].map { "the crossfade in line \($0.place.line)" } ?? "the session's crossfade"
    report(
      fields.place(of: fields["crossfade"] == nil ? "duration" : "crossfade"),
      "\(whose) takes \(TimeSpelling.text(stage.crossfade.duration)), but the stage '\(shown(stage.name))' lasts only \(TimeSpelling.text(length))",
      mend: "shorten the crossfade or lengthen the stage")
  }
}
