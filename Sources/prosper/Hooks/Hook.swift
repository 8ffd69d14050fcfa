import ProsperKit

/// A command of the shell that is run at an event.
struct Hook: Sendable, Hashable {
  let event: PlayerEvent.Name
  let command: String

  init(event: PlayerEvent.Name, command: String) { (self.event, self.command) = (event, command) }

  /// Reads `EVENT=COMMAND`.
  init(argument text: String) throws(Refusal) {
    guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
      throw Refusal("--on '\(text.withoutControls)' has no command; write it like --on gong='play-light.sh'")
    }
    let command = String(text[text.index(after: sign)...])
    guard let event = PlayerEvent.Name(rawValue: String(text[..<sign])) else {
      throw Refusal("--on \(Self.unknown(String(text[..<sign])))")
    }
    if command.allSatisfy(\.isWhitespace) {
      throw Refusal("--on \(event.rawValue)= has no command; write one after the =")
    }
    self.init(event: event, command: command)
  }

  /// The events behind words that are no names of events, as far as a similar name does not say it.
  private static let meant: [String: PlayerEvent.Name] = [
    "bell": .gong, "bowl": .gong, "music": .track, "song": .track, "voice": .overlayStarted, "sentence": .caption,
    "subtitle": .caption,
    "start": .sessionStarted, "begin": .sessionStarted, "end": .sessionFinished, "finish": .sessionFinished,
    "stop": .sessionFinished, "finished": .sessionFinished, "pause": .state, "resume": .state, "stage": .stageStarted,
  ]

  /// The problem with a name that no event has, and the name that was meant.
  static func unknown(_ name: String) -> String {
    let names = PlayerEvent.Name.allCases.map(\.rawValue)
    let fix =
      meant[name.lowercased()].map { "did you mean '\($0.rawValue)'?" }
      ?? Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" } ?? "the article Events.md lists all"
    return "'\(name.withoutControls)': there is no such event; \(fix)"
  }
}
