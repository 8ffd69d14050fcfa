import Engine
import Markup
import SessionFiles
import Signal
import Sounds

/// The probed lengths and tags of all sounds of a session. Each source is probed once at each rate.
struct TimelineSounds {
  let rate: SampleRate
  private var facts: [SoundSource: SoundFacts] = [:]

  /// Probes the sounds at the session's rate. If the file states none, it is the rate of most of the material, among
  /// the rates that music is made for.
  ///
  /// The rate of the material is known only after a first probe at 48,000 Hz, so a second one may follow.
  ///
  /// - Throws: every source that can't be played, or that is empty.
  init(of session: Session, library: any SoundLibrary, notes: inout TimelineNotes) throws(TimelineFailure) {
    let sounds = session.sounds
    // Lengths depend on the rate, so those of the first probe are used only to choose the rate.
    let provisional = session.sampleRate ?? .studio
    let found = Self.probe(sounds, at: provisional, library, &notes)
    try notes.check()
    rate = session.sampleRate ?? Self.prevailing(sounds.compactMap { found[$0.source] }, at: provisional)
    facts = rate == provisional ? found : Self.probe(sounds, at: rate, library, &notes)
    for sound in sounds where facts[sound.source]?.length == 0 {
      notes.error(
        sound.location, "'\(sound.title)' contains no sound", fix: "choose another file, or a longer part of it")
    }
    try notes.check()
    warnOfEarlyEnds(sounds, &notes)
  }

  /// Warns of sounds that end before the `end` that the file asks for, once for each source. Files may be some
  /// milliseconds shorter than they state.
  private func warnOfEarlyEnds(_ sounds: [Session.Sound], _ notes: inout TimelineNotes) {
    var known: Set<SoundSource> = []
    for sound in sounds where known.insert(sound.source).inserted {
      guard let end = sound.source.end, let length = facts[sound.source]?.length, length != .endless else { continue }
      let last = sound.source.start + rate.seconds(length)
      guard last < end - 0.1 else { continue }
      let (found, wanted) = (Clock.text(rate.frames(last), rate), Clock.text(rate.frames(end), rate))
      notes.warn(
        sound.location, "'\(sound.title)' ends at \(found), before its 'end' at \(wanted)", fix: "leave out the 'end'")
    }
  }

  /// The length in frames at `rate`; `.endless` for a sound without an end.
  func length(of sound: Session.Sound) -> FrameCount { facts[sound.source]?.length ?? 0 }

  func facts(of sound: Session.Sound) -> SoundFacts? { facts[sound.source] }

  /// Probes each source once, several at the same time. Problems are in the order of the file.
  private static func probe(
    _ sounds: [Session.Sound], at rate: SampleRate, _ library: any SoundLibrary, _ notes: inout TimelineNotes
  ) -> [SoundSource: SoundFacts] {
    var requested: Set<SoundSource> = []
    let uses = sounds.filter { requested.insert($0.source).inserted }
    let found = Processors.map(uses) { use in
      Result { () throws(SourceError) in try library.probe(use.source, at: rate) }
    }
    let usesOfSource = Dictionary(grouping: sounds, by: \.source)
    var facts: [SoundSource: SoundFacts] = [:]
    for (sound, found) in zip(uses, found) {
      do throws(SourceError) {
        facts[sound.source] = try exact(found) { () throws(SourceError) in try library.probe(sound.source, at: rate) }
      } catch {
        // Each use of a file that doesn't exist must be corrected.
        let uses = if case .missing = error { usesOfSource[sound.source] ?? [] } else { [sound] }
        for use in uses {
          let diagnostic = Diagnostic(error, in: notes.path, at: use.location)
          notes.problems.append(TimelineFailure.Problem(diagnostic: diagnostic, cause: error))
        }
      }
    }
    return facts
  }

  /// The facts, or why there are none. libsndfile has one variable for the errors of all threads, so its error is exact
  /// only if no other file is opened meanwhile.
  private static func exact(
    _ found: Result<SoundFacts, SourceError>, again probe: () throws(SourceError) -> SoundFacts
  ) throws(SourceError) -> SoundFacts {
    if case .failure(let error) = found {
      guard case .missing = error else { return try probe() }
    }
    return try found.get()
  }

  /// Of the rates of 44,100 Hz and more, the one with the most seconds of material. If two rates have equally many, it is
  /// the higher one. 48,000 Hz if no sound has such a rate: a recording of speech at 8,000 Hz must not take the treble
  /// from sounds that are generated at the session's rate.
  private static func prevailing(_ facts: [SoundFacts], at rate: SampleRate) -> SampleRate {
    var seconds: [SampleRate: Double] = [:]
    for fact in facts where fact.length != .endless {
      guard let own = fact.rate.flatMap(SampleRate.init(hertz:)), SampleRate.cd.hertz <= own.hertz else { continue }
      seconds[own, default: 0] += rate.seconds(fact.length)
    }
    return seconds.max { ($0.value, $0.key.hertz) < ($1.value, $1.key.hertz) }?.key ?? .studio
  }
}
