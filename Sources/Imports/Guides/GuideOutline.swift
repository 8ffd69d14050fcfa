import SessionFiles
import Speech

/// The title and the parts of a guide, a text that is read to listeners.
///
/// The headings are those of Markdown; if there are none, lines in capitals; if there are none, short lines that end
/// with a colon.
struct GuideOutline {
  /// A heading with the lines below it.
  struct Part {
    /// The heading; nil for the lines above the first one.
    var name: String?
    /// The number of the line where the part begins.
    var line: Int
    /// The lines; one that is empty stands for all empty ones in a row.
    var lines: [ForeignText.Line] = []
  }

  /// The title; nil if no line is set off as one.
  private(set) var title: String?
  /// The parts, of which some may have no words.
  private(set) var parts: [Part] = []
  private var rows: [Row] = []

  private enum Kind: Equatable {
    case empty
    case text
    /// A heading; level 1 is the highest one.
    case heading(String, level: Int)

    var isHeading: Bool { if case .heading = self { true } else { false } }
  }

  private struct Row {
    let line: ForeignText.Line
    var kind: Kind
    var text: Substring { line.content.text }
  }

  init(_ lines: [ForeignText.Line]) {
    for line in lines { add(line) }
    takeTitle()
    for heading in [Self.capitals, Self.colon] where !hasHeadings {
      mark(heading)
      if title == nil { takeTitle() }
    }
    divide()
  }

  private var hasHeadings: Bool { rows.contains { $0.kind.isHeading } }

  // MARK: Headings

  /// Adds a line, with the headings of Markdown recognised.
  private mutating func add(_ line: ForeignText.Line) {
    let text = line.content.text
    let level = text.prefix { $0 == "#" }.count
    if 1...6 ~= level, text.dropFirst(level).first?.isWhitespace == true, let name = Self.name(text) {
      return rows.append(Row(line: line, kind: .heading(name, level: level)))
    }
    if let underlined = levelOfUnderlined(with: text), let name = rows.last.flatMap({ Self.name($0.text) }) {
      rows[rows.count - 1].kind = .heading(name, level: underlined)
    }
    let isEmpty = text.allSatisfy { !$0.isLetter && !$0.isNumber && !"[]~".contains($0) }
    rows.append(Row(line: line, kind: isEmpty ? .empty : .text))
  }

  /// The level of a heading of one line that a row of `=` or `-` underlines; nil if the text is none.
  private func levelOfUnderlined(with text: Substring) -> Int? {
    guard 3 <= text.count, text.allSatisfy({ $0 == "=" }) || text.allSatisfy({ $0 == "-" }),
      rows.last?.kind == .text, isSetOff(rows.count - 1)
    else { return nil }
    return text.hasPrefix("=") ? 1 : 2
  }

  /// Whether no text stands directly above a row.
  private func isSetOff(_ index: Int) -> Bool { index == 0 || rows[index - 1].kind != .text }

  /// The words of a heading without its signs; nil if there are none.
  private static func name(_ text: some StringProtocol) -> String? {
    let words = text.drop { $0 == "#" }.reversed().drop { $0 == "#" || $0.isWhitespace }.reversed()
    let name = String(words).titleWords()
    return name.contains { $0.isLetter || $0.isNumber } ? name : nil
  }

  /// Makes headings of those lines below an empty one that a rule recognises.
  private mutating func mark(_ heading: (Substring) -> Kind?) {
    for index in rows.indices where rows[index].kind == .text && isSetOff(index) {
      rows[index].kind = heading(rows[index].text) ?? .text
    }
  }

  /// A line in capitals, of at least four letters: shorter ones, such as OM, are sung.
  private static func capitals(_ text: Substring) -> Kind? {
    let letters = text.filter(\.isLetter)
    guard 4 <= letters.count, letters.allSatisfy(\.isUppercase), isShort(text) else { return nil }
    return name(text).map { .heading($0, level: 1) }
  }

  /// At most three words, of which the first one begins with a capital letter, and a colon.
  private static func colon(_ text: Substring) -> Kind? {
    guard text.hasSuffix(":"), text.first?.isUppercase == true, text.split(separator: " ").count <= 3,
      isShort(text.dropLast())
    else { return nil }
    return name(text.dropLast()).map { .heading($0, level: 2) }
  }

  /// Whether a line can be a heading: it is short, has no marks, and is no sentence.
  private static func isShort(_ text: Substring) -> Bool {
    text.count <= 60 && !text.contains { "[]~".contains($0) } && !(text.last.map { ".!?…,;:".contains($0) } ?? true)
  }

  // MARK: Title and parts

  /// Takes the first line as the title if it is set off: a short line of its own, the only highest heading, or one that
  /// another heading follows.
  private mutating func takeTitle() {
    guard let first = rows.firstIndex(where: { $0.kind != .empty }) else { return }
    let below = rows[(first + 1)...]
    guard let next = below.first(where: { $0.kind != .empty }) else { return }
    switch rows[first].kind {
    case .empty: return
    case .text:
      let text = rows[first].text
      guard below.first?.kind != .text, Self.isShort(text), Self.capitals(text) == nil else { return }
      title = Self.name(text)
    case .heading(let name, let level):
      let isHighest = level == 1 && !below.contains { if case .heading(_, 1) = $0.kind { true } else { false } }
      guard isHighest || next.kind.isHeading else { return }
      title = name
    }
    if title != nil { rows[first].kind = .empty }
  }

  private mutating func divide() {
    var part = Part(line: 1)
    for row in rows {
      switch row.kind {
      case .heading(let name, _):
        parts.append(part)
        part = Part(name: name, line: row.line.number)
      case .empty:
        if let last = part.lines.last, !last.text.isEmpty {
          part.lines.append(ForeignText.Line(number: row.line.number, text: "", bytes: []))
        }
      case .text: part.lines.append(row.line)
      }
    }
    parts.append(part)
  }
}
