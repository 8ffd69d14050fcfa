package import Sounds

/// Divides a text into sentences and pauses.
///
/// `[pause 20s]` is a pause; `~`, `~~` and `~~~` are half a breath, a breath and two breaths. Marks that follow each
/// other add up. Where there is no mark, sentences and paragraphs have the pauses of `Pause`.
package enum SpeechText {
  /// The silence, in seconds, where the text has no mark.
  package enum Pause {
    /// Between two sentences.
    package static let sentence = 0.6
    /// Between two paragraphs, which an empty line separates.
    package static let paragraph = 1.5
  }

  /// The longest pause in seconds, which is that of a session.
  private static let longestPause = 168 * 3600.0

  /// The segments of a text, in their order. Two pauses never follow each other.
  package static func segments(of spoken: Spoken) throws(SpeechMistake) -> [SpeechSegment] {
    let segments = try all(of: spoken)
    let pauses = segments.list.reduce(0) { sum, segment in
      if case .pause(let seconds) = segment { sum + seconds } else { sum }
    }
    if longestPause < pauses {
      throw SpeechMistake(problem: "the pauses are above the limit of 168 hours in all", fix: "write shorter pauses")
    }
    guard segments.hasSentence else {
      throw SpeechMistake(problem: "the text has no words to speak", fix: "write a sentence")
    }
    return segments.list
  }

  /// The length in seconds of the pauses of a text that has no words; nil if it has some.
  package static func silence(of spoken: Spoken) throws(SpeechMistake) -> Double? {
    let segments = try all(of: spoken)
    if segments.hasSentence { return nil }
    if case .pause(let seconds)? = segments.list.first { return seconds }
    return 0
  }

  /// A mistake in a text, and what of the text it is about.
  package struct PlacedMistake {
    package let range: Range<String.Index>
    package let mistake: SpeechMistake
  }

  /// The mistakes in the marks of a text, in their order.
  package static func mistakes(in text: String) -> [PlacedMistake] {
    var (found, rest) = ([PlacedMistake](), text[...])
    while let mark = rest.firstIndex(where: isMark) {
      rest = rest[mark...]
      do throws(SpeechMistake) { _ = try takeMark(from: &rest) } catch {
        found.append(PlacedMistake(range: mark..<rest.startIndex, mistake: error))
      }
    }
    return found
  }

  private static func all(of spoken: Spoken) throws(SpeechMistake) -> Segments {
    var segments = Segments()
    for piece in try pieces(of: spoken.text) {
      switch piece {
      case .text(let text): segments.add(paragraphs(of: text))
      case .breaths(let count): segments.add(pause: count * spoken.breath)
      case .pause(let seconds): segments.add(pause: seconds)
      }
    }
    return segments
  }

  /// What stands between two marks, or one of them.
  private enum Piece {
    case text(Substring)
    case breaths(Double)
    case pause(Double)
  }

  private static func pieces(of text: String) throws(SpeechMistake) -> [Piece] {
    var (pieces, rest) = ([Piece](), text[...])
    while let mark = rest.firstIndex(where: isMark) {
      pieces.append(.text(rest[..<mark]))
      rest = rest[mark...]
      pieces.append(try takeMark(from: &rest))
    }
    return pieces + [.text(rest)]
  }

  /// Whether a mark begins with a character, or should.
  private static func isMark(_ character: Character) -> Bool { "[]~".contains(character) }

  /// Removes a mark from the beginning of `rest`, also if it is a mistake. Of brackets without their partner, only the
  /// bracket is removed.
  private static func takeMark(from rest: inout Substring) throws(SpeechMistake) -> Piece {
    if rest.first != "~" { return .pause(try takePause(from: &rest)) }
    let count = rest.prefix { $0 == "~" }.count
    rest = rest.dropFirst(count)
    return .breaths(try breaths(count))
  }

  private static func breaths(_ count: Int) throws(SpeechMistake) -> Double {
    switch count {
    case 1: return 0.5
    case 2: return 1
    case 3: return 2
    default:
      throw SpeechMistake(
        problem: "\(count) tildes are no mark", fix: "write ~, ~~ or ~~~, or a pause such as [pause 20s]")
    }
  }

  /// Removes a mark in brackets from the beginning of `rest`, and returns its seconds.
  private static func takePause(from rest: inout Substring) throws(SpeechMistake) -> Double {
    let bracket = rest.removeFirst()
    guard bracket == "[" else {
      throw SpeechMistake(
        problem: "a ']' without its '['", fix: "write a pause as [pause 20s], and words without brackets")
    }
    let inner = rest.prefix { !"[]".contains($0) && !$0.isNewline }
    guard rest[inner.endIndex...].first == "]" else {
      throw SpeechMistake(problem: "'[\(excerpt(inner))' has no ']'", fix: "write a pause as [pause 20s]")
    }
    rest = rest[inner.endIndex...].dropFirst()
    return try PauseMark(inner).seconds(upTo: longestPause)
  }

  /// The beginning of a text for messages.
  static func excerpt(_ text: Substring) -> String { text.count <= 40 ? String(text) : text.prefix(40) + "…" }

  /// The sentences of a text without marks, with the pauses between them.
  private static func paragraphs(of text: Substring) -> [SpeechSegment] {
    var segments = Segments()
    var paragraph: [Substring] = []
    func end() {
      let sentences = SentenceSplitter.sentences(of: paragraph.joined(separator: " "))
      paragraph = []
      if sentences.isEmpty { return }
      if segments.hasSentence { segments.add(pause: Pause.paragraph) }
      segments.add(sentences)
    }
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if line.allSatisfy(\.isWhitespace) { end() } else { paragraph.append(line) }
    }
    end()
    return segments.list
  }
}

/// Segments in which pauses that follow each other are one.
private struct Segments {
  private(set) var list: [SpeechSegment] = []
  private(set) var hasSentence = false

  mutating func add(pause seconds: Double) {
    if case .pause(let before)? = list.last {
      list[list.count - 1] = .pause(before + seconds)
    } else if 0 < seconds {
      list.append(.pause(seconds))
    }
  }

  mutating func add(_ segments: [SpeechSegment]) {
    for segment in segments {
      switch segment {
      case .pause(let seconds): add(pause: seconds)
      case .sentence:
        list.append(segment)
        hasSentence = true
      }
    }
  }
}
