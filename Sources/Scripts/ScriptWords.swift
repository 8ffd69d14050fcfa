import Player
import Schedule

/// The names of states, events and outcomes that a script may contain.
enum ScriptWords {
  static let states = PlayerState.Kind.allCases.map(\.rawValue)
  static let events = PlayerEvent.Name.allCases.map(\.rawValue)

  /// The events that can have a title.
  static let titledEvents = events.filter { name in
    ["session.started", "track", "gong", "underrun", "warning"].contains(name)
      || ["track.", "load.", "overlay."].contains(where: name.hasPrefix)
  }

  /// The members of events that an expectation can name beside its facts.
  static let members = [
    "after", "by", "canQuickFinish", "code", "command", "damaged", "due", "duration", "from", "gongs", "late",
    "message",
    "milliseconds", "name", "of", "over", "overlays", "pass", "played", "previous", "reason", "recoverable",
    "sampleRate", "starved", "strategy", "to", "tracks", "underruns",
  ]

  static let outcomes = ["done", "cancelled", "coalesced", "rejected"]
}
