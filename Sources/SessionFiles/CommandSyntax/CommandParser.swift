import Markup
package import Player
import Schedule
import Signal
package import Sounds

/// Reads commands: groups of keys with a `do`, as scripts and remote controls write them.
package struct CommandParser {
  private let sounds: CommandSounds
  /// The names of the stages; nil if the player checks them.
  package let stages: [String]?
  package let problems: Problems

  /// - Parameters:
  ///   - folder: the absolute folder at which relative paths start; if it has no such file, they start at the session's.
  ///   - scope: what commands may refer to; nil without a session. Any word may then be the name of a sound.
  package init(
    catalogue: [GeneratorDescription], folder: String, home: String?, scope: CommandScope?, _ problems: Problems
  ) {
    let reader = SoundReader(
      catalogue: catalogue, folder: folder, home: home, scope: scope, knowsNames: scope != nil, problems)
    (sounds, stages, self.problems) = (CommandSounds(reader, gong: scope?.gong), scope?.stages, problems)
  }

  /// Reports a missing `do`.
  ///
  /// - Returns: false if any error has been reported so far.
  func hasVerb(_ fields: Fields) -> Bool {
    if fields["do"] == nil {
      problems.report(.missingKey, fields.location, "a command has no 'do'", fix: "add it, as in {\"do\":\"next\"}")
    }
    return !problems.hasErrors
  }

  /// Reads one command; nil, with at least one error reported, if it is not valid.
  ///
  /// - Parameter others: keys of the group that don't belong to the command, such as a script line's `after`.
  package func command(_ fields: Fields, besides others: [String] = []) -> Command? {
    guard let verb = fields["do"]?.name, let form = form(of: verb, fields) else { return nil }
    let before = problems.count
    // Keys of a command can exclude each other (`to` and `by`). So the command is read from the keys as they are
    // written, not from the copy in which `check` corrects mistyped ones.
    var corrected = fields
    let verbs = CommandForm.operations[verb] == nil ? ["do"] : ["do", "op"]
    // What a command lacks of a session file is refused where it is read.
    let isSeries = verb == "overlay" && fields["sounds"] != nil
    corrected.check(
      as: "'\(verb)'", keys: form.keys, besides: verbs + others + (isSeries ? ["sounds"] : []),
      required: isSeries ? [] : form.required)
    let command =
      if CommandForm.operations[verb] == nil {
        simpleCommand(verb, fields)
      } else {
        operation(fields["op"]?.node.string ?? "", of: verb, fields)
      }
    return problems.count == before ? command : nil
  }

  /// The grammar for a verb and, if it has operations, for its `op`; nil, with an error reported, if there is none.
  private func form(of verb: String, _ fields: Fields) -> CommandForm? {
    if let form = CommandForm.verbs[verb] { return form }
    guard let operations = CommandForm.operations[verb] else {
      let isRequest = CommandWords.remoteVerbs.contains(verb)
      problems.report(
        .unknownName, fields["do"]?.location ?? fields.location,
        isRequest
          ? "'\(verb)' is a request, which a script can't make" : "there is no command '\(shown(verb))'",
        fix: isRequest
          ? "write 'expect' to check the player" : Suggestion.fix(for: verb, among: CommandForm.names))
      return nil
    }
    guard let value = fields["op"] else {
      problems.report(
        .missingKey, fields.location, "'\(verb)' has no 'op'",
        fix: "add 'op' with one of \(operations.keys.sorted().joined(separator: ", "))")
      return nil
    }
    guard let operation = value.name else { return nil }
    if let form = operations[operation] { return form }
    problems.report(
      .unknownName, value.location, "'\(verb)' has no operation '\(shown(operation))'",
      fix: Suggestion.fix(for: operation, among: operations.keys.sorted()))
    return nil
  }

  /// Reads a command without an `op`; nil, with an error reported, for invalid values.
  private func simpleCommand(_ verb: String, _ fields: Fields) -> Command? {
    switch verb {
    case "play": .play
    case "pause": .pause
    case "resume": .resume
    case "toggle": .toggle
    case "next": .next
    case "previous": .previous
    case "cancel": .cancel
    case "stop": .stop
    case "nextStage": .nextStage
    case "previousStage": .previousStage
    case "metrics": .metrics(reset: fields["reset"]?.flag ?? false)
    case "finish": .finish(fade: fields["fade"]?.fade ?? 3)
    case "seek": seek(fields)
    case "jump": fields["track"]?.index.map { .jump(track: $0) }
    case "volume": volume("volume", of: nil, fields) { .volume($0, over: $1) }
    case "crossfade": crossfade(fields)
    case "repeat":
      fields["mode"]?.choice().map { .repetition($0, count: fields["count"]?.index) }
    case "reload": .reload
    case "extend": fields["by"]?.signedDuration.map { .extend(by: $0) }
    case "goto": goto(fields)
    case "say": sounds.saying(fields).map { .overlay(.play($0)) }
    default: sounds.gong(fields)
    }
  }

  /// Reads a command with an `op`, which the caller has checked.
  private func operation(_ name: String, of verb: String, _ fields: Fields) -> Command? {
    switch (verb, name) {
    case ("music", "pause"): .music(.pause)
    case ("music", "resume"): .music(.resume)
    case ("music", _): volume("music volume", of: .music, fields) { .music(.volume($0, over: $1)) }
    case ("cache", _): .cache(.clear)
    case ("effects", "volume"): volume("effects volume", of: .effect, fields) { .effects(.volume($0, over: $1)) }
    case ("effects", "stop"): .effects(.stop)
    case ("effects", "preload"): .effects(.preload(sounds.cues(fields["sounds"], in: .effect)))
    case ("effects", _): .effects(.unload(sounds.cues(fields["sounds"], in: .effect)))
    case ("overlay", "play"): sounds.overlay(fields).map { .overlay(.play($0)) }
    case ("overlay", "stop"): .overlay(.stop)
    case ("overlay", "pause"): .overlay(.pause)
    case ("overlay", "resume"): .overlay(.resume)
    case ("overlay", "volume"): volume("overlay volume", of: .overlay, fields) { .overlay(.volume($0, over: $1)) }
    case ("overlay", _): .overlay(sounds.repetition(fields))
    default: playlistEdit(name, fields).map { .playlist($0) }
    }
  }

  /// Reads a change of the current stage's playlist; nil, with an error reported, if an index is missing or invalid.
  private func playlistEdit(_ name: String, _ fields: Fields) -> PlaylistEdit? {
    switch name {
    case "replace": .replace(sounds.cues(fields["tracks"], in: .music))
    case "append": .append(sounds.cues(fields["tracks"], in: .music))
    case "insert": fields["at"]?.index.map { .insert(sounds.cues(fields["tracks"], in: .music), at: $0) }
    case "remove": fields["at"]?.index.map { .remove(at: $0) }
    default: fields["from"]?.index.flatMap { from in fields["to"]?.index.map { .move(from: from, to: $0) } }
    }
  }

  /// Reads a seek: either `to` or `by`, both in seconds of the track.
  private func seek(_ fields: Fields) -> Command? {
    switch (fields["to"], fields["by"]) {
    case (let to?, nil): return to.duration.map { .seek(.to($0)) }
    case (nil, let by?): return by.signedDuration.map { .seek(.by($0)) }
    case (nil, nil):
      problems.report(
        .missingKey, fields.location, "'seek' has neither 'to' nor 'by'", fix: "add one, such as \"by\": \"-15s\"")
    default: reportBoth("seek", fields)
    }
    return nil
  }

  private func reportBoth(_ verb: String, _ fields: Fields) {
    problems.report(.conflict, fields.location(of: "by"), "'\(verb)' has both 'to' and 'by'", fix: "keep one of them")
  }

  /// Reads a change of later crossfades. A missing key keeps its value.
  private func crossfade(_ fields: Fields) -> Command? {
    if fields["duration"] == nil, fields["curve"] == nil {
      problems.report(
        .missingKey, fields.location, "'crossfade' has neither 'duration' nor 'curve'", fix: "add one of them")
    }
    return .crossfade(duration: fields["duration"]?.fade, curve: fields["curve"]?.curve)
  }

  /// Reads a `goto`. `at` is in seconds from the start of the stage.
  private func goto(_ fields: Fields) -> Command? {
    let at = fields["at"]?.duration ?? 0
    return stage(fields["stage"]).map { .goto(stage: $0, at: at) }
  }

  /// The name of a stage. In a script it is checked; for a remote control, the player does that, so that its refusal is
  /// an outcome like any other.
  package func stage(_ value: Value?) -> String? {
    guard let value, let name = value.text else { return nil }
    if let stages, !stages.contains(name) {
      problems.report(
        .unknownName, value.location, "there is no stage '\(shown(name))'",
        fix: Suggestion.fix(for: name, among: stages))
    }
    return name
  }

  /// Reads `to` or `by`, which exclude each other, and the seconds that the change takes (0 if `over` is missing).
  ///
  /// - Parameters:
  ///   - layer: what the volume belongs to; nil for the master volume.
  ///   - moved: makes the command that sets the volume to a value.
  private func volume(
    _ name: String, of layer: Layer?, _ fields: Fields, _ moved: (Gain, Double) -> Command
  ) -> Command? {
    let over = fields["over"]?.duration ?? 0
    switch (fields["to"], fields["by"]) {
    case (let to?, nil):
      let ceiling = Gain.maximumVolume(of: layer) == .unity ? 0 : VolumeSpelling.decibels.upperBound
      return to.volume(upTo: ceiling).map { moved($0, over) }
    case (nil, let by?): return by.volumeStep.map { .volumeStep($0, of: layer, over: over) }
    case (nil, nil):
      // A mistyped key has already been reported, with its correction.
      let isMistyped = fields.others(than: ["do", "op", "id", "over"]).contains {
        Suggestion.nearest(to: $0.key, among: ["to", "by"]) != nil
      }
      if isMistyped { return nil }
      problems.report(
        .missingKey, fields.location, "'\(name)' has neither 'to' nor 'by'", fix: "add one, such as \"to\": \"80%\"")
    default: reportBoth(name, fields)
    }
    return nil
  }
}

extension Value {
  /// An index, counted from 0, or a count of repeats.
  package var index: Int? { wholeNumber(in: 0...Session.Limit.cues) }

  /// `"-10%"` or `"+3dB"`, or a number from -1 to 1: a share of full volume.
  fileprivate var volumeStep: VolumeStep? {
    guard let text = node.string else {
      guard let share = number() else { return nil }
      if (-1...1).contains(share) { return .share(share) }
      return refused(fix: "write a number from -1 to 1, or a change such as \"-10%\"")
    }
    if let percent = VolumeSpelling.percent(text), abs(percent) <= 100 { return .share(percent / 100) }
    if let decibels = VolumeSpelling.decibels(text), abs(decibels) <= 60 { return .decibels(decibels) }
    let quotes = Node.isNumber(text) ? "remove the quotes, or " : ""
    return refused(fix: "\(quotes)write a change of at most 100% or 60dB, such as \"-10%\" or \"+3dB\"")
  }
}
