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

  static let outcomes = ["done", "cancelled", "coalesced", "rejected"]
}
