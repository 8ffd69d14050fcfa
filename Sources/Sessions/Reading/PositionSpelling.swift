/// How positions are written: a time, `"start"`, `"end"`, or with a leading `-` a time before the end.
package enum PositionSpelling {
  /// Nil for anything else, also for a bare number.
  package static func anchor(_ text: String) -> Session.Position.Anchor? {
    switch text {
    case "start": .afterStart(0)
    case "end": .beforeEnd(0)
    case _ where text.hasPrefix("-"): TimeSpelling.seconds(String(text.dropFirst())).map { .beforeEnd($0) }
    default: TimeSpelling.seconds(text).map { .afterStart($0) }
    }
  }

  /// A number of seconds.
  package static func anchor(_ seconds: Double) -> Session.Position.Anchor {
    seconds < 0 ? .beforeEnd(-seconds) : .afterStart(seconds)
  }
}
