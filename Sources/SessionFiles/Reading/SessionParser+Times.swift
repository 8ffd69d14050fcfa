package import Markup
import Schedule

/// Reads durations and positions. All results are in seconds.
extension SessionParser {
  /// The limits of a session: `session` and `fade` in seconds, `stages` and `cues` as counts.
  package enum Limit {
    package static let session = Programme.maximumSeconds
    package static let fade = 60.0
    static let stages = 1_000
    package static let cues = 100_000
  }

  /// A length above zero, up to the longest session: an interval, a delay, the duration of a stage.
  mutating func interval(_ node: Node?, _ key: String) -> Double? {
    guard let node, let seconds = seconds(node, key) else { return nil }
    if 0 < seconds { return seconds }
    report(node.location, "'\(key)' is \(node.found)", fix: "write a time above zero")
    return nil
  }

  /// The length of a fade, from 0 to 60 s.
  mutating func fade(_ node: Node?, _ key: String) -> Double? {
    guard let node, let seconds = duration(node, key) else { return nil }
    if seconds <= Limit.fade { return seconds }
    report(
      node.location, "'\(key)' is \(TimeSpelling.text(seconds)), above the limit of 60 s", fix: "write 60s or less")
    return nil
  }

  /// A length from 0 up to the longest session.
  package mutating func duration(_ node: Node?, _ key: String) -> Double? {
    guard let node, let seconds = seconds(node, key) else { return nil }
    if seconds < 0 {
      report(node.location, "'\(key)' is \(node.found), below zero", fix: "write a time of zero or more")
      return nil
    }
    return seconds
  }

  /// A number of seconds, or text with units or colons, up to the longest session; it may be negative.
  private mutating func seconds(_ node: Node, _ key: String) -> Double? {
    guard let seconds = unboundedSeconds(node, key) else { return nil }
    if seconds <= Limit.session { return seconds }
    report(
      node.location, "'\(key)' is \(TimeSpelling.text(seconds)), above the limit of 168 hours",
      fix: "write 168h or less")
    return nil
  }

  /// A number of seconds without a limit. If the text is a number in quotes, the error suggests to remove the quotes.
  private mutating func unboundedSeconds(_ node: Node, _ key: String) -> Double? {
    guard let text = node.string else { return number(node, key) }
    if let seconds = TimeSpelling.seconds(text) { return seconds }
    let bare = Node.isNumber(text) ? ", or the number without quotes" : ""
    report(
      node.location, "'\(key)' is '\(shown(text))'", fix: "write a time such as \"90s\", \"1m30s\" or \"4:30\"\(bare)")
    return nil
  }

  /// One position or a list of them.
  mutating func positions(_ node: Node?) -> [Session.Position] {
    guard let node else { return [] }
    guard case .list(let elements) = node.content else { return position(node).map { [$0] } ?? [] }
    if elements.isEmpty {
      report(node.location, "'at' is an empty list", fix: "write a position such as \"start\" or \"2:30\"")
    }
    return elements.compactMap { position($0) }
  }

  /// One position. A time that is too long is reported as such, and not as a malformed position.
  private mutating func position(_ node: Node) -> Session.Position? {
    guard let text = node.string, TimeSpelling.seconds(text) == nil else {
      return seconds(node, "at").map { .init(anchor: PositionSpelling.anchor($0), location: node.location) }
    }
    if let anchor = PositionSpelling.anchor(text) { return .init(anchor: anchor, location: node.location) }
    report(
      node.location, "'at' is '\(shown(text))'",
      fix: "write a position such as \"2:30\", \"-10s\", \"start\" or \"end\"")
    return nil
  }
}
