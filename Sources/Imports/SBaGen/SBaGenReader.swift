import Markup
import SessionFiles

/// Reads the lines of a program of SBaGen: options, tone-sets, blocks and the time-sequence. Comments begin with `#`.
struct SBaGenReader {
  /// A line of the time-sequence before its names are looked up.
  struct TimeLine {
    let time: SBaGenTime
    let fadeIn: SBaGenProgram.Fade
    let fadeOut: SBaGenProgram.Fade
    let name: Word
    let slides: Bool
    let line: Int
  }

  private(set) var sets: [String: ToneSet] = [:]
  private(set) var blocks: [String: [TimeLine]] = [:]
  private(set) var lines: [TimeLine] = []
  private(set) var program = SBaGenProgram()
  private(set) var notes: ImportNotes
  /// The block whose lines follow.
  private var open: (name: String, line: Int)?

  init(_ notes: ImportNotes) { self.notes = notes }

  mutating func read(_ all: [ForeignText.Line]) {
    for line in all { read(line) }
    if let open {
      notes.refuse(
        .syntax, line: open.line, "the block '\(shown(open.name))' has no end", fix: "end it with a line '}'")
    }
  }

  private mutating func read(_ line: ForeignText.Line) {
    let words = Self.words(line)
    if line.content.text.hasPrefix("##") { program.description.append(String(line.content.text.drop { $0 == "#" })) }
    guard let first = words.first else { return }
    if first.text == "}" {
      if open == nil {
        notes.refuse(.syntax, line: line.number, column: first.column, "this '}' ends no block", fix: "remove it")
      }
      return open = nil
    }
    if first.text.hasPrefix("-") { return options(words, line.number) }
    if let colon = Self.colonAfterName(first.text) { return define(first, colon, words, line.number) }
    guard let time = timeLine(words, line.number) else { return }
    if let name = open?.name { blocks[name]?.append(time) } else { lines.append(time) }
  }

  private static func words(_ line: ForeignText.Line) -> [Word] {
    var (words, column) = ([Word](), 0)
    var isInWord = false
    for scalar in line.text.unicodeScalars {
      column += 1
      if scalar == "#" { break }
      if scalar.properties.isWhitespace {
        isInWord = false
      } else {
        if !isInWord { words.append(Word(text: "", column: column)) }
        words[words.count - 1].text.unicodeScalars.append(scalar)
        isInWord = true
      }
    }
    return words
  }

  /// The colon that follows a name at the beginning of a word; nil if there is none.
  private static func colonAfterName(_ text: String) -> String.Index? {
    let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" || $0 == "-" }
    return name.first?.isLetter == true && text[name.endIndex...].hasPrefix(":") ? name.endIndex : nil
  }

  /// A tone-set, a block, or a waveform.
  private mutating func define(_ first: Word, _ colon: String.Index, _ words: [Word], _ line: Int) {
    let name = String(first.text[..<colon])
    let rest = String(first.text[first.text.index(after: colon)...])
    let joined = rest.isEmpty ? [] : [Word(text: rest, column: first.column + name.unicodeScalars.count + 1)]
    let values = joined + words.dropFirst()
    if let open {
      return notes.refuse(
        .syntax, line: line, column: first.column, "a definition stands in the block '\(shown(open.name))'",
        fix: "end the block with a line '}'")
    }
    if sets[name] != nil || blocks[name] != nil {
      return notes.refuse(
        .duplicateName, line: line, column: first.column, "'\(shown(name))' is defined twice", fix: "keep one of them")
    }
    if name.hasPrefix("wave"), name.count == 6, name.dropFirst(4).allSatisfy(\.isNumber) {
      return notes.leaveOut(
        line: line, column: first.column, "the waveform '\(name)' has no meaning in a session",
        fix: "its tones play as sines", at: .session)
    }
    if values.first?.text == "{" {
      (blocks[name], open) = ([], (name, line))
      return
    }
    sets[name] = toneSet(name, first, values, line)
  }

  private func toneSet(_ name: String, _ first: Word, _ words: [Word], _ line: Int) -> ToneSet {
    var set = ToneSet(name: name, line: line)
    if words.isEmpty {
      notes.refuse(
        .empty, line: line, column: first.column, "the tone-set '\(shown(name))' is empty", fix: "write - for silence")
    }
    if ToneSet.maximumTones < words.count {
      notes.refuse(
        .tooLarge, line: line, column: words[ToneSet.maximumTones].column,
        "the tone-set '\(shown(name))' has more than \(ToneSet.maximumTones) tones", fix: "divide it")
      return set
    }
    for word in words where !set.add(word) {
      notes.refuse(
        .invalidValue, line: line, column: word.column, "'\(shown(word.text))' is no tone",
        fix: "write CARRIER+BEAT/AMPLITUDE, such as 200+4/20, pink/30, bell+800/10, or -")
    }
    return set
  }

  /// A line of the time-sequence; nil, with an error reported, if it is malformed.
  private func timeLine(_ words: [Word], _ line: Int) -> TimeLine? {
    var rest = words[...]
    guard let first = rest.popFirst(), let time = SBaGenTime(first.text) else {
      notes.refuse(
        .syntax, line: line, column: words[0].column, "'\(shown(words[0].text))' is neither a time nor a definition",
        fix: "write a time such as 12:30, NOW or +00:10, or a name and a colon")
      return nil
    }
    var fades = (SBaGenProgram.Fade.keep, SBaGenProgram.Fade.keep)
    if let word = rest.first, word.text.count == 2, 1 < rest.count, let start = word.text.first,
      let end = word.text.last,
      "<-=".contains(start), ">-=".contains(end), let fadeIn = SBaGenProgram.Fade(start),
      let fadeOut = SBaGenProgram.Fade(end)
    {
      fades = (fadeIn, fadeOut)
      rest = rest.dropFirst()
    }
    guard var name = rest.popFirst() else {
      notes.refuse(
        .missingKey, line: line, column: first.column, "no tone-set follows this time", fix: "write its name")
      return nil
    }
    var slides = rest.first?.text == "->"
    if slides { rest = rest.dropFirst() }
    if !slides, name.text.hasSuffix("->") { (name.text, slides) = (String(name.text.dropLast(2)), true) }
    if let word = rest.first {
      notes.refuse(
        .syntax, line: line, column: word.column, "'\(shown(word.text))' follows the name of the tone-set",
        fix: "write only -> there, or nothing")
      return nil
    }
    return TimeLine(time: time, fadeIn: fades.0, fadeOut: fades.1, name: name, slides: slides, line: line)
  }
}

/// Options of SBaGen's command line, which may stand in a program.
extension SBaGenReader {
  private mutating func options(_ words: [Word], _ line: Int) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.text.hasPrefix("-"), 1 < word.text.count else {
        notes.refuse(
          .syntax, line: line, column: word.column, "'\(shown(word.text))' belongs to no option", fix: "remove it")
        return
      }
      if word.text == "-i" { return immediate(rest, word, line) }
      if word.text == "-p" {
        return notes.refuse(
          .unknownName, line: line, column: word.column, "the program is one that SBaGen makes itself",
          fix: "use what 'sbagen -D' prints of it")
      }
      for letter in word.text.dropFirst() { option(letter, &rest, word, line) }
    }
  }

  /// One letter of an option, whose value is the next word.
  private mutating func option(_ letter: Character, _ rest: inout ArraySlice<Word>, _ word: Word, _ line: Int) {
    switch letter {
    case "S", "Q", "D": break
    case "E": program.ends = true
    case "L": program.length = value(&rest, word, line) { SBaGenTime.seconds($0[...]) } ?? program.length
    case "F": program.fade = value(&rest, word, line, Number.plain).map { min($0, 1e8) / 1_000 } ?? program.fade
    case "V": program.volume = value(&rest, word, line, Number.plain).map { min($0, 100) / 100 } ?? program.volume
    case "m", "T", "c", "q", "r", "b", "R", "o", "B", "N", "d", "k":
      let value = rest.popFirst()?.text ?? ""
      let what =
        letter == "m"
        ? "the soundtrack '\(shown(value))' is no part of the program"
        : "the option '-\(letter) \(shown(value))' has no meaning in a session"
      notes.leaveOut(
        line: line, column: word.column, what,
        fix: letter == "m" ? "add it as a track or an overlay" : "set it when you play the session", at: .session)
    default:
      notes.leaveOut(
        line: line, column: word.column, "the option '-\(shown(String(letter)))' has no meaning in a session",
        fix: "set it when you play the session", at: .session)
    }
  }

  private func value(
    _ rest: inout ArraySlice<Word>, _ word: Word, _ line: Int, _ read: (String) -> Double?
  ) -> Double? {
    let value = rest.popFirst()
    if let value, let number = read(value.text) { return number }
    notes.refuse(
      .invalidValue, line: line, column: value?.column ?? word.column,
      "'\(shown(word.text))' has no valid value", fix: "write a number, or a time such as 00:30 for -L")
    return nil
  }

  /// The tones that play at once and do not end.
  private mutating func immediate(_ words: ArraySlice<Word>, _ option: Word, _ line: Int) {
    guard sets["Tones"] == nil, let time = SBaGenTime("NOW") else { return }
    sets["Tones"] = toneSet("Tones", option, Array(words), line)
    lines.append(
      TimeLine(
        time: time, fadeIn: .keep, fadeOut: .keep, name: Word(text: "Tones", column: option.column), slides: false,
        line: line))
  }
}
