import Engine
import Markup
import SessionFiles
import Speech

/// Reads the marks in one line of a guide. Pauses in the spellings of other texts become marks; what can't be a mark, and
/// control characters, are left out.
struct GuideMarks {
  /// The line without what is left out, and without spaces at its ends.
  private(set) var text = ""
  /// What was left out, in the order of its columns.
  private(set) var mistakes: [Mistake] = []
  private let line: ForeignText.Line
  private var edits: [(range: Range<String.Index>, text: String)] = []

  /// What is wrong in the line, and what to do about it.
  struct Mistake {
    let column: Int
    let problem: String
    let fix: String
  }

  init(_ line: ForeignText.Line) {
    self.line = line
    if line.text.contains(where: { "([]~".contains($0) }) {
      replaceSpelledPauses()
      for found in SpeechText.mistakes(in: line.text) where !edits.contains(where: { $0.range.overlaps(found.range) }) {
        leaveOut(found.range, found.mistake.problem, fix: found.mistake.fix)
      }
    }
    replaceControls()
    mistakes.sort { $0.column < $1.column }
    text = edited
  }

  private mutating func leaveOut(_ range: Range<String.Index>, _ problem: String, fix: String) {
    edits.append((range, " "))
    mistakes.append(Mistake(column: line.column(of: range.lowerBound), problem: problem, fix: fix))
  }

  /// `(pause 30 seconds)`, `[20 second pause]` and `(30 seconds)`. A pause in parentheses without a time, as in `(long
  /// pause)`, is left out, because nobody should hear it.
  private mutating func replaceSpelledPauses() {
    for match in line.text.matches(of: #/[(\[]([^()\[\]]*)[)\]]/#) {
      let words = match.1.lowercased().split(whereSeparator: \.isWhitespace).map { word in
        String(word.hasSuffix(":") ? word.dropLast() : word)
      }
      let isPause = words.contains { Self.pauses.contains($0) }
      let time = Self.time(words.filter { !Self.pauses.contains($0) && !Self.fillers.contains($0) }.joined())
      if let time, isPause || match.0.hasPrefix("(") {
        edits.append((match.range, "[pause \(time)]"))
      } else if isPause, match.0.hasPrefix("(") {
        leaveOut(match.range, "'\(shown(match.0))' has no valid time", fix: "write a time such as [pause 20s]")
      }
    }
  }

  private static let pauses: Set = ["pause", "silence", "stille"]
  private static let fillers: Set = ["for", "of", "about", "a"]

  /// A time as a session has it; nil if it is not clear what it means.
  private static func time(_ word: String) -> String? {
    if TimeSpelling.seconds(word) != nil, word.contains(where: { $0.isLetter || $0 == ":" }) { return word }
    let pair = #/([0-9.]+)-?(sec|min|sek|hour|stunde)[a-z.]*/#
    let time = word.matches(of: pair).map { match in
      "\(match.1)" + (match.2 == "min" ? "m" : ["hour", "stunde"].contains(match.2) ? "h" : "s")
    }.joined()
    return word.replacing(pair, with: "").isEmpty && TimeSpelling.seconds(time) != nil ? time : nil
  }

  private mutating func replaceControls() {
    let scalars = line.text.unicodeScalars
    for index in scalars.indices where scalars[index].isControl && scalars[index] != "\t" {
      let range = index..<scalars.index(after: index)
      leaveOut(range, "a control character, \(name(of: scalars[index]))", fix: "remove it")
    }
  }

  private var edited: String {
    var (result, rest) = (String.UnicodeScalarView(), line.text.startIndex)
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) where rest <= edit.range.lowerBound {
      result.append(contentsOf: line.text.unicodeScalars[rest..<edit.range.lowerBound])
      result.append(contentsOf: edit.text.unicodeScalars)
      rest = edit.range.upperBound
    }
    result.append(contentsOf: line.text.unicodeScalars[rest...])
    // What was left out leaves one space, and no more.
    return String(result).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
