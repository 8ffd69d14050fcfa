import Markup
import SessionFiles

/// A label of Audacity: a region, or a point if it begins where it ends. Times are in seconds.
struct Label {
  let line: Int
  let start: Double
  let end: Double
  let name: String

  var isPoint: Bool { end <= start }
}

/// Reads labels as Audacity exports them: begin, end and name, separated by tabs. A line that begins with a backslash
/// states the frequencies of the label above it.
struct LabelReader {
  private var labels: [Label] = []
  private var notes: ImportNotes
  /// The lines with frequencies.
  private var frequencies: [Int] = []

  /// Twice the number of stages of a session: some labels become none.
  private static let maximumLabels = 2_000

  /// - Returns: the labels in the order of their beginnings, and the lines with frequencies.
  static func read(_ lines: [ForeignText.Line], _ notes: ImportNotes) -> (labels: [Label], frequencies: [Int]) {
    var reader = LabelReader(notes: notes)
    for line in lines { reader.read(line) }
    // Labels that begin at one time keep their order.
    let sorted = reader.labels.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
    return (sorted.map(\.element), reader.frequencies)
  }

  /// Whether a line begins with two numbers or words that tabs separate, of which one is a time.
  static func hasLabels(_ lines: [ForeignText.Line]) -> Bool {
    lines.contains { line in
      let fields = line.text.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
      return 2 <= fields.count && fields.prefix(2).contains { seconds($0) != nil }
    }
  }

  private init(notes: ImportNotes) { self.notes = notes }

  private mutating func read(_ line: ForeignText.Line) {
    let text = line.text
    if text.allSatisfy(\.isWhitespace) || notes.hasErrors { return }
    if text.hasPrefix("\\") { return frequencies.append(line.number) }
    let fields = text.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    guard 2 <= fields.count, let start = Self.seconds(fields[0]), let end = Self.seconds(fields[1]) else {
      return notes.refuse(
        .invalidValue, line: line.number, "'\(shown(text, upTo: 40))' is not a label of Audacity",
        fix: "write begin, end and name of each label, separated by tabs, with times in seconds")
    }
    guard start <= end else {
      return notes.refuse(
        .invalidValue, line: line.number, column: fields[0].unicodeScalars.count + 2,
        "this label ends before it begins",
        fix: "correct its times")
    }
    guard labels.count < Self.maximumLabels else {
      return notes.refuse(
        .tooLarge, line: line.number, "there are more than \(Self.maximumLabels) labels", fix: "divide the list")
    }
    let name = 2 < fields.count ? String(fields[2]).titleWords() : ""
    labels.append(Label(line: line.number, start: start, end: end, name: name))
  }

  /// Seconds with a point or a comma, up to the limit of a session.
  private static func seconds(_ text: Substring) -> Double? {
    let plain = String(text.map { $0 == "," ? "." : $0 }.filter { !$0.isWhitespace })
    guard plain.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
      let seconds = Double(plain), 0 <= seconds, seconds <= Session.Limit.session
    else { return nil }
    return seconds
  }
}
