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

  /// `(pause 30 seconds)` and `[pause 2 minutes]`.
  private mutating func replaceSpelledPauses() {
    for match in line.text.matches(of: #/[(\[]\s*pause\b([^()\[\]]*)[)\]]/#.ignoresCase()) {
      if let time = Self.time(String(match.1)) {
        edits.append((match.range, "[pause \(time)]"))
      } else if match.0.hasPrefix("(") {
        leaveOut(match.range, "'\(shown(match.0))' has no valid time", fix: "write a time such as [pause 20s]")
      }
    }
  }

  /// A time as a session has it; nil if it is not clear what it means.
  private static func time(_ words: String) -> String? {
    let plain = words.filter { !$0.isWhitespace }.lowercased()
    let word = plain.hasPrefix(":") ? String(plain.dropFirst()) : plain
    if TimeSpelling.seconds(word) != nil, word.contains(where: { $0.isLetter || $0 == ":" }) { return word }
    let number = word.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let unit = word.dropFirst(number.count)
    let time =
      switch unit {
      case "sec", "secs", "sec.", "second", "seconds": "\(number)s"
      case "min", "mins", "min.", "minute", "minutes": "\(number)m"
      default: ""
      }
    return TimeSpelling.seconds(time) == nil ? nil : time
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
