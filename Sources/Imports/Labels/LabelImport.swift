import Files
import Markup
import SessionFiles
import Sounds

/// Makes a session of labels of Audacity and their sound.
///
/// A region becomes a stage that plays this part. A point becomes a stage that lasts until the next label begins; before
/// the first label, if it is a point, there is a stage for the beginning. A point within a region is a comment.
struct LabelImport: ListImport {
  private let source: ImportSource
  private(set) var notes: ImportNotes
  private var stages: [Session.Stage] = []
  private var names: Set<String> = []

  /// The shortest time that is told if it is not played, and with which the end of a label may exceed the sound.
  private static let tolerance = 0.001

  init(_ source: ImportSource) {
    self.source = source
    notes = ImportNotes(file: source.path)
  }

  mutating func read() -> Session? {
    let (labels, frequencies) = LabelReader.read(source.lines, notes)
    if notes.hasErrors { return nil }
    guard let first = labels.first else {
      notes.refuse(
        .empty, line: 1, "there are no labels in this file", fix: "export the labels of a sound from Audacity")
      return nil
    }
    guard let (path, length) = sound() else { return nil }
    if let line = frequencies.first {
      notes.leaveOut(
        line: line, "the frequencies of labels have no meaning in a session", fix: "nothing is lost of the sound",
        at: .session)
    }
    if first.isPoint, Self.tolerance < first.start {
      add("Beginning", from: 0, to: min(first.start, length), of: length, path)
    }
    add(labels, path, length)
    if stages.isEmpty {
      notes.refuse(
        .empty, line: first.line, "no label is within the sound, which lasts \(TimeSpelling.text(length))",
        fix: "check that it is the right sound")
      return nil
    }
    return Session(path: "", title: source.importer.title, stages: stages)
  }

  /// The sound of the labels, and its length in seconds.
  private func sound() -> (path: String, length: Double)? {
    let labels = source.files.path(of: source.path)
    guard let path = source.importer.sound ?? NamedFiles.sound(beside: labels) else {
      notes.refuse(
        .missingKey, line: 1, "there is no sound of the same name beside these labels", fix: "name the sound, too")
      return nil
    }
    switch source.length(of: path) {
    case .success(let length): return (path, length)
    case .failure(let error):
      notes.refuse(.fileLoadFailed, line: 1, error.parts.problem, fix: error.parts.fix)
      return nil
    }
  }

  private mutating func add(_ labels: [Label], _ path: String, _ length: Double) {
    // The end of what is played so far.
    var played: Double?
    for (index, label) in labels.enumerated() {
      let place = CommentPlace.stage(stages.count)
      if length - Self.tolerance <= label.start {
        notes.leaveOut(
          .invalidValue, line: label.line, "the label '\(label.name)' is after the end of the sound",
          fix: "check that it is the right sound", at: place)
        continue
      }
      if label.isPoint, let played, label.start < played - Self.tolerance {
        notes.leaveOut(
          line: label.line, "the point '\(label.name)' at \(TimeSpelling.text(label.start)) is within a region",
          fix: "use it for a gong or an overlay", at: place)
        continue
      }
      tellGap(from: played ?? (label.isPoint ? label.start : 0), to: label, place)
      let next = labels.dropFirst(index + 1).first { label.start + Self.tolerance < $0.start }
      let end = min(label.isPoint ? next?.start ?? length : label.end, length)
      if !label.isPoint, length + Self.tolerance < label.end {
        notes.leaveOut(
          .shortSound, line: label.line, "the label '\(label.name)' ends after the sound",
          fix: "check that it is the right sound", at: place)
      }
      add(label.name.isEmpty ? "Part \(stages.count + 1)" : label.name, from: label.start, to: end, of: length, path)
      played = max(played ?? 0, end)
    }
  }

  /// Tells what is not played before a region, or twice.
  private mutating func tellGap(from played: Double, to label: Label, _ place: CommentPlace) {
    let (start, end) = (TimeSpelling.text(played), TimeSpelling.text(label.start))
    if played + Self.tolerance < label.start {
      notes.leaveOut(
        line: label.line, "the sound from \(start) to \(end) is in no label", fix: "label it if you want to hear it",
        at: place)
    } else if label.start < played - Self.tolerance {
      notes.leaveOut(
        line: label.line, "the sound from \(end) to \(start) is in two labels, and plays twice",
        fix: "correct their times",
        at: place)
    }
  }

  private mutating func add(_ name: String, from start: Double, to end: Double, of length: Double, _ path: String) {
    let isLast = length - Self.tolerance <= end
    let part = SoundSource(.file(path: path), start: start, end: isLast ? nil : end)
    var sound = Session.Sound(part)
    sound.title = name
    stages.append(
      Session.Stage(name: SoundDraft.unique(name, in: &names), duration: .natural, tracks: [sound]))
  }
}
