import Player
import Schedule

/// The names of states, events and outcomes that a script may contain.
enum ScriptWords {
  static let states = PlayerState.Kind.allCases.map(\.rawValue)
  static let events = PlayerEvent.Name.allCases.map(\.rawValue)

  /// The events that can have a title.
  static let titledEvents = events.filter { name in
    ["session.started", "track", "gong", "caption", "underrun", "warning"].contains(name)
      || ["track.", "load.", "overlay."].contains(where: name.hasPrefix)
  }

  /// The members of events that an expectation can name beside its facts.
  static let members = [
    "after", "by", "canQuickFinish", "code", "command", "damaged", "due", "duration", "fingerprint", "from",
    "gapSeconds", "gaps", "gongs", "id", "late", "limitedSeconds", "loudness", "message", "milliseconds", "name", "of",
    "output", "over", "overlays", "pass", "path", "planned", "played", "previous", "reason", "recoverable", "reduction",
    "sampleRate", "starved", "strategy", "to", "tracks", "underruns", "version",
  ]

  /// The facts that are members of an event, too. With it, they are those of the event.
  static func ownFacts(of event: String) -> [String] {
    let own: [String] =
      switch event {
      case "command": ["outcome"]
      case "state": ["state"]
      case "track", "stage.started": ["index"]
      case "position": ["track", "position"]
      case "crossfade.progress", "crossfade.paused", "crossfade.resumed": ["progress"]
      default: []
      }
    return event.hasPrefix("session.") ? own : own + ["stage"]
  }

  static let outcomes = ["done", "cancelled", "coalesced", "rejected"]
}
