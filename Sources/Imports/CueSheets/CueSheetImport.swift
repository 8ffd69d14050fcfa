import Files
import Markup
import SessionFiles
import Sounds

/// Makes a session of a cue sheet: each track is a stage that plays its part of the file, gapless.
///
/// A track begins at its index 01 and ends where the next track in the same file begins, so a pregap in the file belongs
/// to the track before it, as players have it.
struct CueSheetImport: ListImport {
  private let source: ImportSource
  private(set) var notes: ImportNotes
  private var stages: [Session.Stage] = []
  private var names: Set<String> = []

  /// A file of the sheet that was found.
  private struct FoundFile {
    let path: String
    /// In seconds.
    let length: Double
  }

  init(_ source: ImportSource) {
    self.source = source
    notes = ImportNotes(file: source.path)
  }

  mutating func read() -> Session? {
    let sheet = CueSheetReader.read(source.lines, notes)
    if notes.hasErrors { return nil }
    for (line, column, problem) in sheet.notes { leaveOut(line, column, problem) }
    for text in sheet.comments { notes.comment(text, at: .session) }
    var files: [FoundFile?] = []
    for file in sheet.files { files.append(find(file)) }
    for index in sheet.tracks.indices { add(index, of: sheet, files) }
    if stages.isEmpty {
      notes.refuse(
        files.contains { $0 == nil } ? .fileNotFound : .empty, line: max(1, source.lines.count),
        "this cue sheet has no track that can be played",
        fix: "correct the names of its files, which start at the folder of the sheet")
      return nil
    }
    return session(of: sheet)
  }

  private mutating func leaveOut(_ line: Int, _ column: Int, _ problem: String) {
    notes.leaveOut(
      line: line, column: column, problem, fix: "nothing is lost of the sound",
      at: stages.isEmpty ? .session : .stage(stages.count))
  }

  private func session(of sheet: CueSheet) -> Session {
    let words = { (text: String?) in text.map { $0.titleWords() }.flatMap { $0.isEmpty ? nil : $0 } }
    var session = Session(path: "", title: words(sheet.title) ?? source.importer.title, stages: stages)
    session.artist = words(sheet.performer)
    session.genre = words(sheet.remarks["GENRE"])
    session.comment = words(sheet.remarks["COMMENT"])
    session.date = sheet.remarks["DATE"].flatMap { DateSpelling.isDate($0) ? $0 : nil }
    return session
  }

  /// The file that a sheet names, or the one of that name with another ending, which is told.
  private mutating func find(_ file: CueSheet.File) -> FoundFile? {
    if ["BINARY", "MOTOROLA"].contains(file.kind) {
      notes.leaveOut(
        .invalidFormat, line: file.line, column: file.column, "'\(shown(file.name))' is the image of a disc",
        fix: "convert it to FLAC", at: .session)
      return nil
    }
    guard case .file(let named) = source.files.find(file.name) else {
      notes.leaveOut(
        .invalidValue, line: file.line, column: file.column, "'\(shown(file.name))' is not the name of a file",
        fix: "write the name of a sound file", at: .session)
      return nil
    }
    let path = FilePath.exists(named) ? named : converted(named, of: file) ?? named
    switch source.length(of: path) {
    case .success(let length): return FoundFile(path: path, length: length)
    case .failure(let error):
      notes.leaveOut(
        .fileNotFound, line: file.line, column: file.column, error.parts.problem, fix: error.parts.fix, at: .session)
      return nil
    }
  }

  private mutating func converted(_ path: String, of file: CueSheet.File) -> String? {
    guard let found = NamedFiles.sound(beside: path) else { return nil }
    notes.leaveOut(
      line: file.line, column: file.column,
      "there is no file '\(shown(file.name))'; '\(shown(SoundSource(.file(path: found)).label))' is used",
      fix: "check that it is the same sound", at: .session)
    return found
  }

  /// Adds the stage of a track.
  private mutating func add(_ index: Int, of sheet: CueSheet, _ files: [FoundFile?]) {
    let track = sheet.tracks[index]
    let place = CommentPlace.stage(stages.count)
    for (line, column, problem) in track.notes {
      notes.leaveOut(line: line, column: column, problem, fix: "nothing is lost of the sound", at: place)
    }
    guard track.kind == "AUDIO" else {
      return notes.leaveOut(
        .invalidFormat, line: track.line, "track \(shown(track.number)) is data, not sound",
        fix: "nothing is lost of the sound",
        at: place)
    }
    guard let start = track.start else {
      return notes.refuse(
        .missingKey, line: track.line, "track \(shown(track.number)) has no INDEX 01",
        fix: "write INDEX 01 00:00:00 under it"
      )
    }
    let following = sheet.tracks.dropFirst(index + 1).first?.start
    let end = following.flatMap { $0.file == start.file ? $0 : nil }
    if let end, end.frames <= start.frames {
      return notes.refuse(
        .invalidValue, line: end.line, "this track does not begin after the one before it", fix: "correct its INDEX 01")
    }
    guard let file = files[start.file] else {
      return notes.comment(
        "track \(track.number), '\(track.title ?? "")', is in a file that can't be played", at: place)
    }
    guard start.seconds < file.length, end.map({ $0.seconds <= file.length }) ?? true else {
      return notes.refuse(
        .invalidValue, line: (start.seconds < file.length ? end : start)?.line ?? track.line,
        "this place is after the end of '\(shown(SoundSource(.file(path: file.path)).label))', "
          + "which lasts \(TimeSpelling.text(file.length))", fix: "check that it is the right file")
    }
    noteHiddenSound(before: start, index, of: sheet)
    stages.append(stage(of: track, from: start.seconds, to: end?.seconds, in: file.path))
  }

  /// Tells of sound before the first track of a file, which players skip.
  private mutating func noteHiddenSound(before start: CueSheet.Index, _ index: Int, of sheet: CueSheet) {
    let isFirst = sheet.tracks[..<index].allSatisfy { $0.start?.file != start.file }
    let isPregap = sheet.tracks[index].pregap?.file == start.file || index == 0
    guard isFirst, isPregap, 0 < start.frames else { return }
    notes.leaveOut(
      line: start.line, "the first \(TimeSpelling.text(start.seconds)) of the file stand before its first track",
      fix: "add a stage for them if you want to hear them", at: .stage(stages.count))
  }

  private mutating func stage(
    of track: CueSheet.Track, from start: Double, to end: Double?, in path: String
  ) -> Session.Stage {
    let title = track.title?.titleWords() ?? ""
    let performer = track.performer?.titleWords() ?? ""
    var sound = Session.Sound(SoundSource(.file(path: path), start: start, end: end))
    let name = title.isEmpty ? "Track \(track.number.titleWords())" : title
    sound.title = performer.isEmpty ? name : "\(performer) - \(name)"
    return Session.Stage(name: SoundDraft.unique(name, in: &names), duration: .natural, tracks: [sound])
  }
}
