/// Divides a paragraph into sentences.
///
/// A sentence ends with a full stop, an exclamation mark, a question mark or an ellipsis, with the quotes and brackets
/// that follow it, before a space. It does not end before a small letter, after an abbreviation, after an initial and
/// within a German date. Full stops of Chinese and Japanese need no space.
enum SentenceSplitter {
  private static let terminators: Set<Character> = [
    ".", "!", "?", "…", "。", "！", "？", "｡", "؟", "۔", "।", "॥", "።", "։", "‼", "⁇", "⁈", "⁉",
  ]
  private static let denseTerminators: Set<Character> = ["。", "！", "？", "｡"]
  private static let closers: Set<Character> = ["\"", "'", "”", "“", "’", "»", "«", "›", "‹", ")", "」", "』", "）", "】"]

  /// The sentences that have a letter or a digit, each on one line and without control characters. Between them is a
  /// pause; between the pieces of a sentence that is too long for an engine is none.
  static func sentences(of paragraph: String) -> [SpeechSegment] {
    let text = Array(clean(paragraph))
    var segments: [SpeechSegment] = []
    for range in ranges(in: text) {
      let sentence = String(text[range]).trimmed
      guard sentence.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
      if !segments.isEmpty { segments.append(.pause(SpeechText.Pause.sentence)) }
      segments += SentencePieces.pieces(of: sentence).map(SpeechSegment.sentence)
    }
    return segments
  }

  /// The text on one line, in which one space stands for all white space and control characters in a row.
  private static func clean(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isSpace =
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
        || scalar.properties.generalCategory == .privateUse
      // French writes a narrow space before '!' and '?', which must not become a line break.
      if !isSpace { result.append(scalar) } else if result.last != " " { result.append(" ") }
    }
    return String(result)
  }

  private static func ranges(in text: [Character]) -> [Range<Int>] {
    var (ranges, start, index) = ([Range<Int>](), 0, 0)
    while index < text.count {
      guard terminators.contains(text[index]) else {
        index += 1
        continue
      }
      let marks = index..<(text[index...].firstIndex { !terminators.contains($0) } ?? text.count)
      index = end(of: marks, in: text)
      if isEnd(marks, before: index, in: text) {
        ranges.append(start..<index)
        start = index
      }
    }
    return ranges + [start..<text.count]
  }

  /// The index after the quotes and brackets that follow terminators.
  private static func end(of marks: Range<Int>, in text: [Character]) -> Int {
    var end = text[marks.upperBound...].firstIndex { !closers.contains($0) } ?? text.count
    // French quotes have a space inside.
    if end == marks.upperBound, end + 1 < text.count, text[end] == " ", text[end + 1] == "»" { end += 2 }
    return end
  }

  private static func isEnd(_ marks: Range<Int>, before end: Int, in text: [Character]) -> Bool {
    if text[marks].contains(where: denseTerminators.contains) { return true }
    guard end < text.count else { return true }
    guard text[end] == " " else { return false }
    let rest = text[end...].drop { !$0.isLetter && !$0.isNumber }
    if rest.first?.isLowercase == true { return false }
    if marks.count != 1 || text[marks.lowerBound] != "." { return true }
    let word = text[..<marks.lowerBound].reversed().prefix { $0 != " " && !"(\"'„“«»‚’".contains($0) }
    return !Abbreviations.isAbbreviation(String(word.reversed()), before: String(rest.prefix(while: \.isLetter)))
  }
}

extension String {
  /// The text without spaces at its ends.
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
