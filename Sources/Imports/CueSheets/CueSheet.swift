import Markup
import SessionFiles

/// A cue sheet as it is written: sound files, and the tracks in them.
struct CueSheet {
  /// A line `FILE`.
  struct File {
    let name: String
    /// `WAVE`, `MP3`, `BINARY`, in capitals.
    let kind: String
    let line: Int
    let column: Int
  }

  /// A line `INDEX`.
  struct Index {
    /// The index of the file in `CueSheet.files`.
    let file: Int
    /// In frames, of which a second has 75.
    let frames: Int
    let line: Int

    var seconds: Double { Double(frames) / 75 }
  }

  /// A track.
  struct Track {
    let number: String
    /// `AUDIO`, or the mode of a data track, in capitals.
    let kind: String
    let line: Int
    var title: String?
    var performer: String?
    /// Where the track begins: its index 01.
    var start: Index?
    /// Where its pregap begins: its index 00.
    var pregap: Index?
    /// What can't be carried over, by line.
    var notes: [(line: Int, column: Int, problem: String)] = []
  }

  var files: [File] = []
  var tracks: [Track] = []
  var title: String?
  var performer: String?
  /// The values of `REM GENRE`, `REM DATE` and `REM COMMENT`.
  var remarks: [String: String] = [:]
  /// Lines above the first track that say nothing to a session.
  var notes: [(line: Int, column: Int, problem: String)] = []
  /// Other lines `REM` above the first track.
  var comments: [String] = []
}

/// Reads cue sheets, and reports malformed lines.
struct CueSheetReader {
  private var sheet = CueSheet()
  private var notes: ImportNotes

  /// Reads all lines.
  static func read(_ lines: [ForeignText.Line], _ notes: ImportNotes) -> CueSheet {
    var reader = CueSheetReader(notes)
    for line in lines { reader.read(line) }
    return reader.sheet
  }

  private init(_ notes: ImportNotes) { self.notes = notes }

  private mutating func read(_ line: ForeignText.Line) {
    let words = Self.words(line)
    guard let command = words.first, !command.text.isEmpty else { return }
    let values = words.dropFirst().map(\.text)
    let value = values.first ?? ""
    switch command.text.uppercased() {
    case "FILE": file(words, line)
    case "TRACK": track(words, line)
    case "INDEX": index(words, line)
    case "TITLE":
      if sheet.tracks.isEmpty { sheet.title = value } else { sheet.tracks[sheet.tracks.count - 1].title = value }
    case "PERFORMER":
      if sheet.tracks.isEmpty {
        sheet.performer = value
      } else {
        sheet.tracks[sheet.tracks.count - 1].performer = value
      }
    case "REM": remark(values)
    case "PREGAP", "POSTGAP": gap(command, value, line)
    case "FLAGS", "ISRC", "CATALOG", "SONGWRITER", "CDTEXTFILE":
      note(command, "'\(shown(line.content.text))' has no meaning in a session", line)
    default:
      notes.refuse(
        .unknownKey, line: line.number, column: command.column, "'\(shown(command.text))' is no command of a cue sheet",
        fix: "correct the line, or remove it")
    }
  }

  private mutating func note(_ word: Word, _ problem: String, _ line: ForeignText.Line) {
    let note = (line.number, word.column, problem)
    if sheet.tracks.isEmpty {
      sheet.notes.append(note)
    } else {
      sheet.tracks[sheet.tracks.count - 1].notes.append(note)
    }
  }

  private mutating func gap(_ command: Word, _ value: String, _ line: ForeignText.Line) {
    let kind = command.text.uppercased() == "PREGAP" ? "before" : "after"
    note(command, "the silence of \(shown(value)) \(kind) this track is not in its file", line)
  }

  private mutating func remark(_ values: [String]) {
    guard sheet.tracks.isEmpty, let key = values.first?.uppercased() else { return }
    let value = values.dropFirst().joined(separator: " ")
    if ["GENRE", "DATE", "COMMENT"].contains(key) { return sheet.remarks[key] = value }
    sheet.comments.append(values.joined(separator: " "))
  }

  private mutating func file(_ words: [Word], _ line: ForeignText.Line) {
    guard hasRoom(words[0], line) else { return }
    guard 2 <= words.count, !words[1].text.isEmpty else {
      return notes.refuse(
        .missingKey, line: line.number, column: words[0].column, "FILE has no name", fix: "write FILE \"NAME\" WAVE")
    }
    // A name with spaces and without quotes: the last word is the kind.
    let kind = 2 < words.count ? words[words.count - 1].text.uppercased() : "WAVE"
    let name =
      words[1].isQuoted
      ? words[1].text : words.dropFirst().dropLast(2 < words.count ? 1 : 0).map(\.text).joined(separator: " ")
    sheet.files.append(CueSheet.File(name: name, kind: kind, line: line.number, column: words[1].column))
  }

  /// Reports a file or track above the limit, and stops reading.
  private func hasRoom(_ word: Word, _ line: ForeignText.Line) -> Bool {
    if max(sheet.files.count, sheet.tracks.count) < Session.Limit.stages { return true }
    notes.refuse(
      .tooLarge, line: line.number, column: word.column, "the sheet has more than 1000 files or tracks",
      fix: "divide it")
    return false
  }

  private mutating func track(_ words: [Word], _ line: ForeignText.Line) {
    guard hasRoom(words[0], line) else { return }
    guard !sheet.files.isEmpty else {
      return notes.refuse(
        .missingKey, line: line.number, column: words[0].column, "a TRACK stands before the first FILE",
        fix: "write FILE \"NAME\" WAVE above it")
    }
    guard words.count == 3 else {
      return notes.refuse(
        .invalidValue, line: line.number, column: words[0].column, "TRACK needs a number and a kind",
        fix: "write TRACK 01 AUDIO")
    }
    sheet.tracks.append(
      CueSheet.Track(number: words[1].text, kind: words[2].text.uppercased(), line: line.number))
  }

  private mutating func index(_ words: [Word], _ line: ForeignText.Line) {
    guard !sheet.tracks.isEmpty, !sheet.files.isEmpty else {
      return notes.refuse(
        .missingKey, line: line.number, column: words[0].column, "an INDEX stands before the first TRACK",
        fix: "write TRACK 01 AUDIO above it")
    }
    guard words.count == 3, let number = Int(words[1].text), 0...99 ~= number else {
      return notes.refuse(
        .invalidValue, line: line.number, column: words[0].column, "INDEX needs a number and a time",
        fix: "write INDEX 01 00:00:00")
    }
    guard let frames = Self.frames(words[2].text) else {
      return notes.refuse(
        .invalidValue, line: line.number, column: words[2].column,
        "'\(shown(words[2].text))' is no time of a cue sheet",
        fix: "write minutes, seconds and frames from 00 to 74, such as 04:30:00")
    }
    let index = CueSheet.Index(file: sheet.files.count - 1, frames: frames, line: line.number)
    let last = sheet.tracks.count - 1
    switch number {
    case 0: sheet.tracks[last].pregap = index
    case 1: sheet.tracks[last].start = index
    default: note(words[0], "the place within the track, '\(shown(line.content.text))', is not a stage", line)
    }
  }

  /// `MM:SS:FF` in frames; nil for any other text.
  private static func frames(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } && 1...4 ~= part.utf8.count ? Int(part) : nil
    }
    guard parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2], seconds < 60,
      frames < 75
    else { return nil }
    return (minutes * 60 + seconds) * 75 + frames
  }

  private struct Word {
    var text = ""
    let column: Int
    var isQuoted = false
  }

  /// The words of a line; a text in quotation marks is one word.
  private static func words(_ line: ForeignText.Line) -> [Word] {
    var (words, isOpen, column) = ([Word](), false, 0)
    var current: Word?
    for scalar in line.text.unicodeScalars {
      column += 1
      if scalar == "\"", current == nil || isOpen {
        if isOpen, let word = current { words.append(word) }
        current = isOpen ? nil : Word(column: column, isQuoted: true)
        isOpen.toggle()
      } else if !isOpen, scalar.properties.isWhitespace {
        if let word = current { words.append(word) }
        current = nil
      } else {
        if current == nil { current = Word(column: column) }
        current?.text.unicodeScalars.append(scalar)
      }
    }
    if let word = current { words.append(word) }
    return words
  }
}
