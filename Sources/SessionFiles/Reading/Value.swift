package import Markup
package import Schedule
package import Signal

/// The value of one key, which is read as what the key means: text, a number, a time, a volume.
///
/// Each property and method reports an error and is nil if the value is wrong.
package struct Value {
  package let node: Node
  private let key: String
  private let problems: Problems

  package init(_ node: Node, of key: String, _ problems: Problems) {
    (self.node, self.key, self.problems) = (node, key, problems)
  }

  package var location: SourceLocation { node.location }

  /// Reports what the value is.
  ///
  /// - Returns: nil.
  package func refused<Result>(
    _ found: @autoclosure () -> String? = nil, fix: @autoclosure () -> String
  ) -> Result? {
    problems.report(.invalidValue, location, "'\(key)' \(found() ?? "is \(node.found)")", fix: fix())
    return nil
  }

  /// Text that may span several lines.
  package var text: String? {
    node.string ?? refused("is \(node.kind)", fix: "write text, in quotes if it looks like a number")
  }

  /// Text on one line that is not blank.
  package var name: String? {
    guard let text else { return nil }
    if text.contains(where: \.isNewline) { return refused("has more than one line", fix: "write it on one line") }
    guard text.allSatisfy(\.isWhitespace) else { return text }
    return refused("is empty", fix: ["title", "name"].contains(key) ? "write a few words" : "write a value")
  }

  /// A language as `en`, `de` or `pt-BR`: the parts of a tag of BCP 47, the first one with two or three letters.
  var language: String? {
    guard let text = name else { return nil }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isTag = parts.allSatisfy { part in
      1...8 ~= part.count && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
    if isTag, let first = parts.first, 2...3 ~= first.count, first.allSatisfy(\.isLetter) { return text }
    return refused(fix: "write a language such as \"en\", \"de\" or \"pt-BR\"")
  }

  /// A text that must be one of `words`.
  package func word(among words: [String]) -> String? {
    guard let text else { return nil }
    return words.contains(text) ? text : refused(fix: Suggestion.fix(for: text, among: words))
  }

  /// A case of an enum, by its raw value.
  func choice<Choice: RawRepresentable & CaseIterable>() -> Choice? where Choice.RawValue == String {
    word(among: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
  }

  /// `true` or `false` without quotes; YAML's `yes` and `on` are refused.
  var flag: Bool? {
    if case .word(let word) = node.content, Node.isFlag(word) { return word == "true" }
    return refused(fix: "write true or false, without quotes")
  }

  /// A finite number in JSON notation, written without quotes.
  ///
  /// - Parameter kind: what the error message asks for.
  package func number(_ kind: String = "a decimal number") -> Double? {
    if case .word(let word) = node.content, Node.isNumber(word), let number = Double(word), number.isFinite {
      return number
    }
    let isQuoted = if case .text(let text) = node.content { Node.isNumber(text) } else { false }
    return refused("is \(node.found), not a number", fix: isQuoted ? "remove the quotes" : "write \(kind)")
  }

  /// A whole number; `4.0` is accepted, too.
  package func wholeNumber(in range: ClosedRange<Int>) -> Int? {
    let kind = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let number = number(kind) else { return nil }
    return Int(exactly: number).flatMap { range.contains($0) ? $0 : nil } ?? refused(fix: "write \(kind)")
  }

  /// A group of keys.
  package func group(
    _ name: String, keys: [String], required: [String] = [], main: String? = nil
  ) -> Fields? {
    Fields(node, name, keys: keys, required: required, main: main, problems)
  }

  /// The elements of a list; none, with an error reported, if the value is not a list.
  ///
  /// - Parameter ofWords: whether the error may suggest the given value as the only element.
  func elements(ofWords: Bool = false) -> [Node] {
    if case .list(let elements) = node.content { return elements }
    let example =
      (ofWords ? node.inJSON : nil).map { ": [\($0)]" }
      ?? ", even for a single item: put [ and ] around it, or '- ' before it"
    return refused("is \(node.kind)", fix: "write a list\(example)") ?? []
  }
}

/// Loudness, in LUFS.
extension Value {
  /// The loudness to which one sound is levelled, or `"off"`.
  var loudnessTarget: Session.LoudnessTarget? {
    if node.string == "off" { return .off }
    return loudness(or: ", or \"off\"").map { .lufs($0) }
  }

  /// The loudness to which the sounds of each layer are levelled.
  var layerLoudness: [Layer: Double] {
    guard let fields = group("'\(key)'", keys: Session.layerKeys.map(\.key)) else { return [:] }
    let given = Session.layerKeys.compactMap { entry in
      fields[entry.key]?.loudness(or: "").map { (entry.layer, $0) }
    }
    return Dictionary(given) { first, _ in first }
  }

  private func loudness(or alternative: String) -> Double? {
    let range = Session.LoudnessTarget.range
    let kind = "a loudness in LUFS from \(Int(range.lowerBound)) to \(Int(range.upperBound)), such as -20\(alternative)"
    guard let number = number(kind) else { return nil }
    return range.contains(number) ? number : refused(fix: "write \(kind)")
  }
}

extension Session {
  /// The names of the layers in session files.
  package static let layerKeys: [(key: String, layer: Layer)] = [
    ("music", .music), ("overlays", .overlay), ("gongs", .effect),
  ]
}

/// Times, all in seconds.
extension Value {
  /// A length above zero, up to the longest session: an interval, a delay, the duration of a stage.
  package var interval: Double? {
    guard let seconds else { return nil }
    return 0 < seconds ? seconds : refused(fix: "write a time above zero")
  }

  /// The length of a fade, from 0 to 60 s.
  var fade: Double? {
    guard let seconds = duration else { return nil }
    if seconds <= Session.Limit.fade { return seconds }
    return refused("is \(TimeSpelling.text(seconds)), above the limit of 60 s", fix: "write 60s or less")
  }

  /// A length from 0 up to the longest session.
  package var duration: Double? {
    guard let seconds else { return nil }
    return 0 <= seconds ? seconds : refused("is \(node.found), below zero", fix: "write a time of zero or more")
  }

  /// A length from 0 up to the longest session, with or without a sign.
  var signedDuration: Double? {
    guard let text = node.plainText, let sign = text.first, sign == "-" || sign == "+" && node.string != nil,
      node.string != nil || Node.isNumber(text)
    else { return duration }
    let rest = String(text.dropFirst())
    let unsigned = Node(location: location, content: Node.isNumber(rest) ? .word(rest) : .text(rest))
    return Value(unsigned, of: key, problems).duration.map { sign == "-" ? -$0 : $0 }
  }

  /// A number of seconds, or text with units or colons, up to the longest session; it may be negative.
  private var seconds: Double? {
    guard let seconds = unboundedSeconds else { return nil }
    if seconds <= Session.Limit.session { return seconds }
    return refused("is \(TimeSpelling.text(seconds)), above the limit of 168 hours", fix: "write 168h or less")
  }

  /// A number of seconds without a limit. If the text is a number in quotes, the error suggests to remove the quotes.
  private var unboundedSeconds: Double? {
    guard let text = node.string else { return number() }
    let bare = Node.isNumber(text) ? ", or the number without quotes" : ""
    return TimeSpelling.seconds(text)
      ?? refused(fix: "write a time such as \"90s\", \"1m30s\" or \"4:30\"\(bare)")
  }

  /// One position or a list of them.
  var positions: [Session.Position] {
    guard case .list(let elements) = node.content else { return position.map { [$0] } ?? [] }
    if elements.isEmpty {
      return refused("is an empty list", fix: "write a position such as \"start\" or \"2:30\"") ?? []
    }
    return elements.compactMap { Value($0, of: key, problems).position }
  }

  /// One position. A time that is too long is reported as such, and not as a malformed position.
  private var position: Session.Position? {
    guard let text = node.string, TimeSpelling.seconds(text) == nil else {
      return seconds.map { .init(anchor: PositionSpelling.anchor($0), location: location) }
    }
    if let anchor = PositionSpelling.anchor(text) { return .init(anchor: anchor, location: location) }
    return refused(fix: "write a position such as \"2:30\", \"-10s\", \"start\" or \"end\"")
  }
}

extension Value {
  var curve: FadeCurve? { choice() }

  /// A volume: a linear factor from 0 to 1, or text: a percentage of full volume, or decibels from -60 dB up to
  /// `ceiling`.
  ///
  /// - Parameter ceiling: in decibels: 12 for tracks and sounds, and for the volumes of music and overlays; otherwise 0.
  package func volume(upTo ceiling: Double = 0) -> Gain? {
    if let text = node.string { return volume(text, upTo: ceiling) }
    guard let number = number() else { return nil }
    if (0...1).contains(number) { return Gain(linear: Float(number)) }
    let louder = ceiling > 0 ? ", or decibels up to \"+12dB\" to go louder" : ", or decibels up to \"0dB\""
    let decibels = number < 0 ? ", or decibels such as \"-6dB\"" : louder
    return refused(fix: "write a number from 0 to 1\(percentage)\(decibels)")
  }

  /// A percentage or decibels. Ducking (`by`) is never a percentage, because it could mean the part that remains or the
  /// part that is taken away. Its errors differ, because a positive value there is usually a missing sign.
  private func volume(_ text: String, upTo ceiling: Double) -> Gain? {
    if key != "by", let percent = VolumeSpelling.percent(text) { return volume(percent, text) }
    guard let decibels = VolumeSpelling.decibels(text) else {
      let quotes = Node.isNumber(text) ? "remove the quotes, or " : ""
      return refused(fix: "\(quotes)write a number from 0 to 1\(percentage), or decibels such as \"-6dB\"")
    }
    if (VolumeSpelling.decibels.lowerBound...ceiling).contains(decibels) { return VolumeSpelling.gain(decibels) }
    if key == "by", 0 < decibels {
      return refused("is \(shown(text))", fix: "write a negative number of decibels, such as \"-9dB\"")
    }
    let limit = ceiling > 0 ? "+12dB" : "0dB; only tracks and sounds may be louder"
    return refused("is \(shown(text))", fix: "write -60dB to \(limit)")
  }

  /// The part of a fix that says how a percentage is written; empty where none is accepted.
  private var percentage: String { key == "by" ? "" : ", a percentage such as \"80%\"" }

  /// A percentage from 0 to 100, without a sign.
  private func volume(_ percent: Double, _ text: String) -> Gain? {
    if let first = text.first, !"+-".contains(first), percent <= 100 { return Gain(linear: Float(percent / 100)) }
    // Only commands have 'to'.
    let change = key == "to" ? ", or give a change, such as +10%, as 'by'" : ""
    return refused(fix: "write 0% to 100%\(change)")
  }
}
