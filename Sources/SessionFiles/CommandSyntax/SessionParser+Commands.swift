import Markup
package import Player
import Schedule
import Signal

/// Reads commands: groups of keys with a `do`, as scripts and remote controls write them.
extension SessionParser {
  /// Reads one command; nil, with at least one error reported, if it is not valid.
  ///
  /// - Parameter others: keys of the group that don't belong to the command, such as a script line's `after`.
  package mutating func command(_ fields: Fields, besides others: [String] = []) -> Command? {
    guard let verb = name(fields["do"], "do"), let form = form(of: verb, fields) else { return nil }
    let before = problems.count
    // Keys of a command can exclude each other (`to` and `by`). So the command is read from the keys as they are
    // written, not from the copy in which `check` corrects mistyped ones.
    var corrected = fields
    let verbs = CommandForm.operations[verb] == nil ? ["do"] : ["do", "op"]
    check(&corrected, of: "'\(verb)'", keys: form.keys, besides: verbs + others, required: form.required)
    let command = verb == "overlay" ? overlayCommand(fields) : simpleCommand(verb, fields) ?? listCommand(verb, fields)
    return problems.count == before ? command : nil
  }

  /// The grammar for a verb and, if it has operations, for its `op`; nil, with an error reported, if there is none.
  private mutating func form(of verb: String, _ fields: Fields) -> CommandForm? {
    if let form = CommandForm.verbs[verb] { return form }
    guard let operations = CommandForm.operations[verb] else {
      if CommandWords.remoteVerbs.contains(verb) {
        report(
          fields["do"]?.location ?? fields.location, "'\(verb)' is a request, which a script can't make",
          fix: "write 'expect' to check the player")
        return nil
      }
      report(
        fields["do"]?.location ?? fields.location, "there is no command '\(shown(verb))'",
        fix: Suggestion.fix(for: verb, among: CommandForm.names))
      return nil
    }
    guard let node = fields["op"] else {
      report(
        fields.location, "'\(verb)' has no 'op'",
        fix: "add 'op' with one of \(operations.keys.sorted().joined(separator: ", "))")
      return nil
    }
    guard let operation = name(node, "op") else { return nil }
    if let form = operations[operation] { return form }
    report(
      node.location, "'\(verb)' has no operation '\(shown(operation))'",
      fix: Suggestion.fix(for: operation, among: operations.keys.sorted()))
    return nil
  }

  /// Reads a command without an `op`; nil for other verbs, and with an error reported for invalid values.
  private mutating func simpleCommand(_ verb: String, _ fields: Fields) -> Command? {
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
    case "metrics": .metrics(reset: flag(fields["reset"], "reset") ?? false)
    case "finish": .finish(fade: fade(fields["fade"], "fade") ?? 3)
    case "seek": seek(fields)
    case "jump": wholeNumber(fields["track"], "track", in: 0...Limit.cues).map { .jump(track: $0) }
    case "volume": volumeCommand(verb, fields, of: nil) { .volume($0, over: $1) }
    case "crossfade": crossfadeCommand(fields)
    case "repeat":
      choice(fields["mode"], "mode", of: RepeatMode.self).map {
        .repetition($0, count: wholeNumber(fields["count"], "count", in: 0...Limit.cues))
      }
    case "goto": goto(fields)
    case "gong": gongCommand(fields)
    default: nil
    }
  }

  /// Reads a seek: either `to` or `by`, both in seconds of the track.
  private mutating func seek(_ fields: Fields) -> Command? {
    switch (fields["to"], fields["by"]) {
    case (let to?, nil): return duration(to, "to").map { .seek(.to($0)) }
    case (nil, let by?): return signedDuration(by, "by").map { .seek(.by($0)) }
    case (nil, nil):
      report(fields.location, "'seek' has neither 'to' nor 'by'", fix: "add one, such as \"by\": \"-15s\"")
    default:
      report(fields.location(of: "by"), "'seek' has both 'to' and 'by'", fix: "keep one of them")
    }
    return nil
  }

  /// A length of time in seconds, with or without a sign.
  private mutating func signedDuration(_ node: Node, _ key: String) -> Double? {
    guard let text = node.string, let sign = text.first, "+-".contains(sign) else {
      guard let positive = node.negated else { return duration(node, key) }
      return duration(positive, key).map { -$0 }
    }
    let rest = String(text.dropFirst())
    let unsigned = Node(location: node.location, content: Node.isNumber(rest) ? .word(rest) : .text(rest))
    return duration(unsigned, key).map { sign == "-" ? -$0 : $0 }
  }

  /// Reads a change of later crossfades. A missing key keeps its value.
  private mutating func crossfadeCommand(_ fields: Fields) -> Command? {
    if fields["duration"] == nil, fields["curve"] == nil {
      report(fields.location, "'crossfade' has neither 'duration' nor 'curve'", fix: "add one of them")
    }
    let duration = fade(fields["duration"], "duration")
    return .crossfade(duration: duration, curve: curve(fields["curve"]))
  }

  /// Reads a `goto`. `at` is in seconds from the start of the stage. In a script, the name of the stage is checked;
  /// for a remote control, the player does that, so that its refusal is an outcome like any other.
  private mutating func goto(_ fields: Fields) -> Command? {
    let at = duration(fields["at"], "at") ?? 0
    guard let node = fields["stage"], let stage = text(node, "stage") else { return nil }
    if let known = scope?.stages, !known.contains(stage) {
      report(node.location, "there is no stage '\(shown(stage))'", fix: Suggestion.fix(for: stage, among: known))
    }
    return .goto(stage: stage, at: at)
  }
}

extension Node {
  /// The absolute value of an unquoted negative number; nil for any other value.
  fileprivate var negated: Node? {
    guard case .word(let word) = content, word.hasPrefix("-"), Node.isNumber(word) else { return nil }
    return Node(location: location, content: .word(String(word.dropFirst())))
  }
}
