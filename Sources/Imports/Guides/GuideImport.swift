import Markup
import SessionFiles
import Sounds
import Speech

/// Makes a session of a guide, a text that is read to listeners: each of its parts becomes a stage, whose track speaks
/// it. A stage without a duration is as long as its track, whatever voice speaks it.
struct GuideImport: ListImport {
  private let source: ImportSource
  private(set) var notes: ImportNotes
  private var stages: [Session.Stage] = []
  private var names: Set<String> = []
  /// The places of the keys `breath` of the texts in which a breath is a pause.
  private var breaths: Set<String> = []
  /// The places of the keys `voice` of the texts, if a voice is given.
  private var voices: Set<String> = []

  init(_ source: ImportSource) {
    self.source = source
    notes = ImportNotes(file: source.path)
  }

  /// The voice, if one is given, and the length of a breath, if the guide has some.
  var parameters: [DraftParameter] {
    let voice = source.importer.voice.map {
      DraftParameter(name: "voice", summary: "who speaks, in voices.yaml", standard: .text($0), places: voices)
    }
    let breath = DraftParameter(
      name: "breath", summary: "how long a breath is: ~~ in the text", standard: .text("4s"), places: breaths)
    return [voice, breath].compactMap(\.self).filter { !$0.places.isEmpty }
  }

  mutating func read() -> Session? {
    if let line = source.lines.first(where: { $0.text.unicodeScalars.contains("\0") }) {
      notes.refuse(
        .encoding, line: line.number, "this file is not a text", fix: "save the guide as plain text in UTF-8")
      return nil
    }
    let outline = GuideOutline(source.lines)
    let hasHeadings = 1 < outline.parts.count
    for part in outline.parts { add(part, name: part.name ?? (hasHeadings ? "Beginning" : "Guide")) }
    if notes.hasErrors { return nil }
    if stages.isEmpty {
      notes.refuse(.empty, line: 1, "there are no words in this text", fix: "write what is to be spoken")
      return nil
    }
    for hint in Self.hints { notes.comment(hint, at: .session) }
    return Session(path: "", title: outline.title ?? source.importer.title, stages: stages)
  }

  private static let hints = [
    "A text is spoken in English, unless this file states another language, such as: language: de",
    "Music under the words of a stage: overlays: [{sound: \"generate:ocean\", at: start, volume: -12dB}]",
  ]

  private mutating func add(_ part: GuideOutline.Part, name: String) {
    let text = text(of: part)
    let spoken = Spoken(text, voice: source.importer.voice)
    var silence: Double?
    do throws(SpeechMistake) { silence = try SpeechText.silence(of: spoken) } catch {
      return notes.refuse(.invalidValue, line: part.line, error.problem, fix: error.fix)
    }
    var stage = Session.Stage(name: name, duration: .natural)
    switch silence {
    case nil:
      stage.tracks = [Session.Sound(.spoken(spoken))]
      let place = "stages[\(stages.count)].tracks[0]"
      if text.contains("~") { breaths.insert("\(place).breath") }
      if spoken.voice != nil { voices.insert("\(place).voice") }
    case 0?:
      if part.name != nil {
        notes.leaveOut(
          line: part.line, "the part '\(shown(name))' has no words", fix: "write some, or a pause",
          at: .stage(stages.count))
      }
      return
    case let seconds?:
      guard seconds <= Session.Limit.session else {
        return notes.refuse(
          .tooLarge, line: part.line, "the silence of this part is above the limit of 168 hours", fix: "shorten it")
      }
      stage.duration = .seconds(seconds)
    }
    stage.name = SoundDraft.unique(name, in: &names)
    stages.append(stage)
  }

  /// The text of a part, with its lines as they are.
  private mutating func text(of part: GuideOutline.Part) -> String {
    var lines: [String] = []
    for line in part.lines {
      let marks = GuideMarks(line)
      for mistake in marks.mistakes {
        notes.leaveOut(
          .invalidValue, line: line.number, column: mistake.column, mistake.problem, fix: mistake.fix,
          at: .stage(stages.count))
      }
      lines.append(marks.text)
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    while lines.first?.isEmpty == true { lines.removeFirst() }
    let text = lines.joined(separator: "\n") + "\n"
    // Something that was left out may have divided two signs that are a mark, or a wrong one, together.
    if SpeechText.mistakes(in: text).isEmpty { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { "[]~".unicodeScalars.contains($0) ? " " : $0 }))
  }
}
