/// What the listener has changed, for everybody who reads the status later.
struct ListenerChanges: Sendable {
  /// A command that has changed the session.
  struct Change: Sendable, Hashable {
    /// The name of the command.
    var name: String
    /// The stage in which it was given; nil before the first one.
    var stage: String?
    /// Seconds from the beginning of that stage.
    var at: Double?
  }

  /// At most so many changes are kept.
  static let kept = 100

  /// The last changes, in order.
  private(set) var last: [Change] = []

  /// Adds a command that was executed, unless it leaves the course of the session and its sounds as they were planned.
  mutating func add(_ change: Change) {
    guard Self.names.contains(change.name) else { return }
    last.append(change)
    if Self.kept < last.count { last.removeFirst() }
  }

  private static let names: Set = [
    "next", "previous", "nextStage", "previousStage", "goto", "jump", "seek", "gong", "extend", "reload", "playlist",
    "repeat",
  ]
}

extension ListenerChanges.Change {
  var json: JSONLine { ["name": name, "stage": stage, "at": Rounded(at)] }
}
