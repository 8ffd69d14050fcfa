import Markup

/// Reads positions: a time, `"start"`, `"end"`, or a time with a leading `-`, which is that long before the end.
///
/// The result depends only on the text, so session files, scripts and `--from` use the same notation.
package enum PositionSpelling {
  /// The position that a text states; nil for any other text, including a number without a unit.
  package static func anchor(_ text: String) -> Session.Position.Anchor? {
    switch text {
    case "start": .afterStart(0)
    case "end": .beforeEnd(0)
    case _ where text.hasPrefix("-"): TimeSpelling.seconds(String(text.dropFirst())).map { .beforeEnd($0) }
    default: TimeSpelling.seconds(text).map { .afterStart($0) }
    }
  }

  /// The anchor for a number of seconds; a negative one counts back from the end.
  package static func anchor(_ seconds: Double) -> Session.Position.Anchor {
    seconds < 0 ? .beforeEnd(-seconds) : .afterStart(seconds)
  }
}
