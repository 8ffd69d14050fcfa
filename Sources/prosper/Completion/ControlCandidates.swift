import ProsperKit

/// The words that can follow those of a `ctl` command: verbs, operations, options, and values.
struct ControlCandidates {
  private let line: TypedLine
  private let next: NextWords

  init(of line: TypedLine) {
    self.line = line
    next = NextWords(after: line.wordsOfCommand)
  }

  var all: [Candidate] {
    if line.prefix.hasPrefix("-") { return next.options.map { Candidate("--" + $0) } }
    return next.words.map { Candidate($0) } + (next.key.map(values) ?? [])
  }

  /// The values of a key, as far as they can be listed.
  private func values(of key: String) -> [Candidate] {
    switch key {
    case "sound", "tracks", "sounds": Candidate.builtIn(prefix: "generate:") + Candidate.soundFiles(line)
    case "stage": stages.map { Candidate($0) }
    case "curve": FadeCurve.allCases.map { Candidate($0.rawValue) }
    case "mode": RepeatMode.allCases.map { Candidate($0.rawValue) }
    case "times": [Candidate("forever")]
    default: []
    }
  }

  /// The stages of the running player; none if it does not answer at once, or if there are several.
  private var stages: [String] {
    let reply = try? ControlClient(player: line.player).ask(#"{"do":"status"}"#, within: 1)
    return reply.flatMap { try? ControlAnswer($0).status?.stages } ?? []
  }
}
