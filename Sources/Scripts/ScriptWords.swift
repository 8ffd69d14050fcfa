/// The names of states, events and outcomes that a script may contain. They must be the names that the player emits.
enum ScriptWords {
  static let states = [
    "idle", "preparing", "preparingCrossfade", "playing", "crossfading", "paused", "crossfadePaused", "fadingOut",
    "finished", "failed",
  ]

  static let events = [
    "session.started", "session.finished", "stage.started", "state", "track", "track.skipped", "position",
    "crossfade.started", "crossfade.progress", "crossfade.paused", "crossfade.resumed", "crossfade.completed",
    "crossfade.cancelled", "crossfade.timeout", "load.started", "load.progress", "load.cancellable", "load.completed",
    "load.failed", "load.timeout", "overlay.started",
    "overlay.ended", "overlay.paused", "overlay.resumed", "gong", "volume", "command", "output.lost", "output.restored",
    "output.moved", "output.corked",
    "underrun", "warning", "error", "metrics",
  ]

  /// The events that can have a title.
  static let titledEvents = events.filter { name in
    ["session.started", "track", "gong", "underrun", "warning"].contains(name)
      || ["track.", "load.", "overlay."].contains(where: name.hasPrefix)
  }

  static let outcomes = ["done", "cancelled", "coalesced", "rejected"]
}
