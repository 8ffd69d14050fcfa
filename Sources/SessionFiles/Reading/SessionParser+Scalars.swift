package import Markup
package import Signal

/// Reads single values: text, numbers, choices, volumes.
///
/// Each method reports an error and returns nil if the value is wrong. A missing value is nil without an error, because
/// `check` reports missing keys.
extension SessionParser {
  /// Text on one line that is not blank.
  mutating func name(_ node: Node?, _ key: String) -> String? {
    guard let text = text(node, key), let node else { return nil }
    if text.contains(where: \.isNewline) {
      report(node.location, "'\(key)' has more than one line", fix: "write it on one line")
      return nil
    }
    if text.allSatisfy(\.isWhitespace) {
      report(
        node.location, "'\(key)' is empty",
        fix: ["title", "name"].contains(key) ? "write a few words" : "write a value")
      return nil
    }
    return text
  }

  /// Text that may span several lines.
  package mutating func text(_ node: Node?, _ key: String) -> String? {
    guard let node else { return nil }
    if let text = node.string { return text }
    report(node.location, "'\(key)' is \(node.kind)", fix: "write text, in quotes if it looks like a number")
    return nil
  }

  /// A finite number in JSON notation, written without quotes.
  ///
  /// - Parameter kind: what the error message asks for.
  package mutating func number(_ node: Node, _ key: String, kind: String = "a decimal number") -> Double? {
    if case .word(let word) = node.content, Node.isNumber(word), let number = Double(word), number.isFinite {
      return number
    }
    let isQuoted = if case .text(let text) = node.content { Node.isNumber(text) } else { false }
    report(
      node.location, "'\(key)' is \(node.found), not a number",
      fix: isQuoted ? "remove the quotes" : "write \(kind)")
    return nil
  }

  /// A whole number; `4.0` is accepted, too.
  package mutating func wholeNumber(_ node: Node?, _ key: String, in range: ClosedRange<Int>) -> Int? {
    let kind = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let node, let number = number(node, key, kind: kind) else { return nil }
    if let whole = Int(exactly: number), range.contains(whole) { return whole }
    report(node.location, "'\(key)' is \(node.found)", fix: "write \(kind)")
    return nil
  }

  /// `true` or `false` without quotes; YAML's `yes` and `on` are refused.
  mutating func flag(_ node: Node?, _ key: String) -> Bool? {
    guard let node else { return nil }
    if case .word(let word) = node.content, Node.isFlag(word) { return word == "true" }
    report(node.location, "'\(key)' is \(node.found)", fix: "write true or false, without quotes")
    return nil
  }

  /// A case of an enum, by its raw value.
  mutating func choice<Value: RawRepresentable & CaseIterable>(
    _ node: Node?, _ key: String, of type: Value.Type
  ) -> Value? where Value.RawValue == String {
    guard let node, let text = text(node, key) else { return nil }
    if let value = Value(rawValue: text) { return value }
    report(
      node.location, "'\(key)' is '\(shown(text))'",
      fix: Suggestion.fix(for: text, among: type.allCases.map(\.rawValue))
    )
    return nil
  }

  mutating func curve(_ node: Node?) -> FadeCurve? { choice(node, "curve", of: FadeCurve.self) }

  /// A volume: a linear factor from 0 to 1, or text: a percentage of full volume, or decibels from -60 dB up to
  /// `ceiling`.
  ///
  /// - Parameter ceiling: in decibels: 12 for tracks and sounds, and for the volumes of music and overlays; otherwise 0.
  package mutating func volume(_ node: Node?, _ key: String = "volume", upTo ceiling: Double = 0) -> Gain? {
    guard let node else { return nil }
    if let text = node.string { return volume(text, at: node, key, upTo: ceiling) }
    guard let number = number(node, key) else { return nil }
    if (0...1).contains(number) { return Gain(linear: Float(number)) }
    let louder = ceiling > 0 ? ", or decibels up to \"+12dB\" to go louder" : ", or decibels up to \"0dB\""
    let decibels = number < 0 ? ", or decibels such as \"-6dB\"" : louder
    let percentage = percentage(key)
    report(node.location, "'\(key)' is \(node.found)", fix: "write a number from 0 to 1\(percentage)\(decibels)")
    return nil
  }

  /// A percentage or decibels. Ducking (`by`) is never a percentage, because it could mean the part that remains or the
  /// part that is taken away. Its errors differ, because a positive value there is usually a missing sign.
  private mutating func volume(_ text: String, at node: Node, _ key: String, upTo ceiling: Double) -> Gain? {
    if key != "by", let percent = VolumeSpelling.percent(text) { return volume(percent, text, at: node, key) }
    guard let decibels = VolumeSpelling.decibels(text) else {
      let quotes = Node.isNumber(text) ? "remove the quotes, or " : ""
      let percentage = percentage(key)
      report(
        node.location, "'\(key)' is '\(shown(text))'",
        fix: "\(quotes)write a number from 0 to 1\(percentage), or decibels such as \"-6dB\"")
      return nil
    }
    if (VolumeSpelling.decibels.lowerBound...ceiling).contains(decibels) { return VolumeSpelling.gain(decibels) }
    let ceilingText = ceiling > 0 ? "+12dB" : "0dB"
    if key == "by", 0 < decibels {
      report(node.location, "'by' is \(shown(text))", fix: "write a negative number of decibels, such as \"-9dB\"")
      return nil
    }
    let hint = ceiling > 0 ? "" : "; only tracks and sounds may be louder"
    report(node.location, "'\(key)' is \(shown(text))", fix: "write -60dB to \(ceilingText)\(hint)")
    return nil
  }

  /// The part of a fix that says how a percentage is written; empty where none is accepted.
  private func percentage(_ key: String) -> String { key == "by" ? "" : ", a percentage such as \"80%\"" }

  /// A percentage from 0 to 100, without a sign.
  private mutating func volume(_ percent: Double, _ text: String, at node: Node, _ key: String) -> Gain? {
    if let first = text.first, !"+-".contains(first), percent <= 100 { return Gain(linear: Float(percent / 100)) }
    // Only commands have 'to'.
    let change = key == "to" ? ", or give a change, such as +10%, as 'by'" : ""
    report(node.location, "'\(key)' is '\(shown(text))'", fix: "write 0% to 100%\(change)")
    return nil
  }
}
