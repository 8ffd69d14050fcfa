import Markup

/// What stands between the brackets of a mark such as `[pause 20s]`.
struct PauseMark {
  private let text: Substring
  private let words: [Substring]

  init(_ text: Substring) {
    self.text = text
    words = text.split(whereSeparator: \.isWhitespace)
  }

  /// The length of the pause.
  func seconds(upTo limit: Double) throws(SpeechMistake) -> Double {
    guard let word = words.first?.lowercased(), word == "pause" else { throw unknown }
    let time = words.dropFirst().joined(separator: " ")
    guard let seconds = TimeSpelling.seconds(time) else { throw wrongTime(time) }
    if seconds <= limit { return seconds }
    throw SpeechMistake(problem: "\(mark) is above the limit of 168 hours", fix: "write a shorter pause")
  }

  private var mark: String { "'[\(shown(SpeechText.excerpt(text)))]'" }

  private func wrongTime(_ time: String) -> SpeechMistake {
    if time.isEmpty { return SpeechMistake(problem: "\(mark) has no time", fix: "write a time such as [pause 20s]") }
    return SpeechMistake(
      problem: "\(mark) has no valid time",
      fix: Self.correction(of: time).map { "write [pause \($0)]" }
        ?? "write a time such as [pause 20s] or [pause 1m30s]")
  }

  /// A mark that is none. It is never spoken, because it may be a typing error.
  private var unknown: SpeechMistake {
    let first = words.first.map(String.init) ?? ""
    let rest = Self.correction(of: words.dropFirst().joined()) ?? "20s"
    let isTime = Self.correction(of: words.joined()) != nil
    let fix =
      if isTime, let time = Self.correction(of: words.joined()) {
        "did you mean [pause \(time)]?"
      } else if Suggestion.nearest(to: first.lowercased(), among: ["pause"]) != nil {
        "did you mean [pause \(rest)]?"
      } else {
        "a pause is [pause 20s]; write words that are spoken without brackets"
      }
    return SpeechMistake(problem: "\(mark) is no mark", fix: fix)
  }

  /// A valid time for one without a unit or with spaces; nil if it is not clear what it means.
  private static func correction(of time: String) -> String? {
    let dense = time.filter { !$0.isWhitespace }
    if TimeSpelling.seconds(dense) != nil { return dense }
    return TimeSpelling.seconds(dense + "s") == nil ? nil : dense + "s"
  }
}
