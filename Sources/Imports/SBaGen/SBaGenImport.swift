import Markup
import Schedule
import SessionFiles
import Signal
import Sounds

/// Makes a session of a program of SBaGen: each tone-set is a stage, and its voices are built-in sounds that play
/// together. A voice is one sound in all stages, of which each plays its part, so it goes on without a break.
struct SBaGenImport: ListImport {
  private let source: ImportSource
  private(set) var notes: ImportNotes
  private var names: Set<String> = []
  /// The tone-sets whose notes stand in the session.
  private var told: Set<String> = []

  /// The pitches of the built-in bell, and its peak as a share of full scale.
  private static let (bellPitches, bellPeak) = (150.0...2_500.0, 0.69)

  init(_ source: ImportSource) {
    self.source = source
    notes = ImportNotes(file: source.path)
  }

  mutating func read() -> Session? {
    var reader = SBaGenReader(notes)
    reader.read(source.lines)
    notes = reader.notes
    if notes.hasErrors { return nil }
    var program = reader.program
    (program.events, notes) = SBaGenSequence.events(reader)
    if notes.hasErrors { return nil }
    guard let last = program.events.last else {
      notes.refuse(
        .empty, line: max(1, source.lines.count), "the program has no time-sequence",
        fix: "write a line such as NOW and the name of a tone-set")
      return nil
    }
    let end = program.length ?? SBaGenVoices.silence(of: program) ?? (program.ends ? last.time : nil)
    if let end, end <= 0 {
      notes.refuse(
        .empty, line: last.line, "the program ends where it begins", fix: "add a time at which it ends")
      return nil
    }
    return session(of: program, until: end)
  }

  private mutating func session(of program: SBaGenProgram, until end: Double?) -> Session {
    let voices = Self.named(SBaGenVoices(of: program, until: end).all)
    var stages: [Session.Stage] = []
    for (index, event) in program.events.enumerated() where event.time < end ?? .infinity {
      let isLast = index + 1 == program.events.count
      let next = isLast ? end : min(program.events[index + 1].time, end ?? .infinity)
      // A silent tone-set that the program ends with has no time of its own, but for the end of a change.
      let stop = isLast ? end : index + 2 == program.events.count && end != nil ? stageEnd(index, program, end) : next
      tell(event.set, at: .stage(stages.count))
      stages.append(stage(of: event, until: stop, voices))
      if stop == end, end != nil { break }
    }
    tellEnd(of: program, end, stages.count)
    var session = Session(path: "", title: source.importer.title, stages: stages)
    let lines = program.description.map { $0.titleWords() }.filter { !$0.isEmpty }
    session.description = lines.isEmpty ? nil : lines.joined(separator: "\n")
    session.volume = program.volume == 1 ? .unity : Gain(linear: Float(program.volume))
    for voice in voices { session.named[voice.sound.title] = voice.sound }
    return session.usingNames()
  }

  /// The end of the stage before the last one: with the program, if the last tone-set is silence.
  private func stageEnd(_ index: Int, _ program: SBaGenProgram, _ end: Double?) -> Double? {
    let last = program.events[index + 1]
    return last.set.isSilent && program.length == nil ? end : min(last.time, end ?? .infinity)
  }

  private mutating func tellEnd(of program: SBaGenProgram, _ end: Double?, _ count: Int) {
    guard end == nil, let last = program.events.last else { return }
    notes.leaveOut(
      .endless, line: last.line, "the program never ends, so its last stage is open",
      fix: "give that stage a duration", at: .stage(max(0, count - 1)))
  }

  /// Tells what a session can't play of a tone-set, once.
  private mutating func tell(_ set: ToneSet, at place: CommentPlace) {
    guard told.insert(set.name).inserted else { return }
    for note in set.notes {
      notes.leaveOut(line: set.line, column: note.column, note.problem, fix: note.fix, at: place)
    }
    for tone in set.tones {
      guard case .bell(let pitch) = tone.kind, !Self.bellPitches.contains(pitch) else { continue }
      notes.leaveOut(
        .invalidValue, line: set.line,
        "a bell of \(Spelling.plain(pitch)) Hz in '\(set.name)' is outside of 150 to 2500 Hz",
        fix: "it plays at the nearest of these", at: place)
    }
  }

  /// A voice with its name in the session.
  private struct NamedVoice {
    var sound: Session.Sound
    let audible: [ClosedRange<Double>]

    func isHeard(from start: Double, until end: Double) -> Bool {
      audible.contains { $0.lowerBound < end && start < $0.upperBound }
    }
  }

  private static func named(_ voices: [SBaGenVoices.Voice]) -> [NamedVoice] {
    var (tones, noises) = (0, 0)
    var named: [NamedVoice] = []
    for voice in voices {
      let isNoise = voice.recipe.generator == "pink"
      if isNoise { noises += 1 } else { tones += 1 }
      var recipe = voice.recipe
      // Noises of one seed would be the same noise.
      if isNoise { recipe.seed = UInt64(noises - 1) }
      var sound = Session.Sound(.generated(recipe))
      sound.volume = VolumeSpelling.gain(voice.decibels)
      sound.title = isNoise ? "noise\(noises)" : "tone\(tones)"
      named.append(NamedVoice(sound: sound, audible: voice.audible))
    }
    return named
  }

  /// The stage of a tone-set: the first voice that is heard is its track, and the others are overlays.
  private mutating func stage(
    of event: SBaGenProgram.Event, until end: Double?, _ voices: [NamedVoice]
  ) -> Session.Stage {
    let name = SoundDraft.unique(event.set.name, in: &names)
    var stage = Session.Stage(name: name, duration: end.map { .seconds($0 - event.time) } ?? .open)
    var heard: [Session.Sound] = []
    for voice in voices where voice.isHeard(from: event.time, until: end ?? .infinity) {
      var part = voice.sound
      (part.source.start, part.source.end) = (event.time, end)
      heard.append(part)
    }
    if let first = heard.first { stage.tracks = [first] }
    for sound in heard.dropFirst() {
      var overlay = Session.Overlay(sound, at: .start)
      overlay.isLayer = true
      stage.overlays.append(overlay)
    }
    stage.gongs = event.set.tones.compactMap(Self.bell)
    return stage
  }

  private static func bell(_ tone: Tone) -> Session.Gong? {
    guard case .bell(let pitch) = tone.kind, 0 < tone.amplitude else { return nil }
    let limited = max(bellPitches.lowerBound, min(bellPitches.upperBound, pitch))
    var sound = Session.Sound(.generated(Recipe(generator: "bell", settings: ["pitch": limited])))
    sound.volume = Gain(linear: Float(min(1, tone.amplitude / bellPeak)))
    return Session.Gong(sound, at: .start)
  }
}
