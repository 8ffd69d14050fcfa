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
  init(of session: Session, library: any SoundLibrary, notes: TimelineNotes) throws(TimelineFailure) {
    let sounds = session.sounds
    // Lengths depend on the rate, so those of the first probe are used only to choose the rate.
    let provisional = session.sampleRate ?? .studio
    let found = Self.probe(sounds, at: provisional, library, notes)
    try notes.check()
    rate = session.sampleRate ?? Self.prevailing(sounds.compactMap { found[$0.source] }, at: provisional)
    facts = rate == provisional ? found : Self.probe(sounds, at: rate, library, notes)
    for sound in sounds where facts[sound.source]?.length == 0 {
      notes.error(
        .silentSound, sound.location, "'\(sound.title)' contains no sound", of: sound.source,
        fix: "choose another file, or a longer part of it")
    }
    try notes.check()
    warnOfEarlyEnds(sounds, notes)
  }

  /// Warns of sounds that end before the `end` that the file asks for, once for each source. Files may be some
  /// milliseconds shorter than they state.
  private func warnOfEarlyEnds(_ sounds: [Session.Sound], _ notes: TimelineNotes) {
    var known: Set<SoundSource> = []
    for sound in sounds where known.insert(sound.source).inserted {
      guard let end = sound.source.end, let length = facts[sound.source]?.length, length != .endless else { continue }
      let last = sound.source.start + rate.seconds(length)
      guard last < end - 0.1 else { continue }
      let (found, wanted) = (Clock.text(rate.frames(last), rate), Clock.text(rate.frames(end), rate))
      notes.warn(
        .shortSound, sound.location, "'\(sound.title)' ends at \(found), before its 'end' at \(wanted)",
        of: sound.source, fix: "leave out the 'end'")
    }
  }

  /// The length in frames at `rate`; `.endless` for a sound without an end.
  func length(of sound: Session.Sound) -> FrameCount { facts[sound.source]?.length ?? 0 }

  func facts(of sound: Session.Sound) -> SoundFacts? { facts[sound.source] }

  /// Probes each source once, several at the same time. Problems are in the order of the file.
  private static func probe(
    _ sounds: [Session.Sound], at rate: SampleRate, _ library: any SoundLibrary, _ notes: TimelineNotes
  ) -> [SoundSource: SoundFacts] {
    let found = results(of: sounds, at: rate, library)
    let usesOfSource = Dictionary(grouping: sounds, by: \.source)
    var told: Set<SoundSource> = []
    for sound in sounds where told.insert(sound.source).inserted {
      guard case .failure(let error)? = found[sound.source] else { continue }
      // Each use of a file that doesn't exist must be corrected.
      let uses = if case .missing = error { usesOfSource[sound.source] ?? [] } else { [sound] }
      for use in uses { notes.error(Diagnostic(error, of: use.source, at: use.location), cause: error) }
    }
    return found.compactMapValues { try? $0.get() }
  }

  /// The facts of each source, or why there are none. A file is opened once for many of its parts.
  private static func results(
    of sounds: [Session.Sound], at rate: SampleRate, _ library: any SoundLibrary
  ) -> [SoundSource: Result<SoundFacts, SourceError>] {
    let groups = Dictionary(grouping: Set(sounds.map(\.source)), by: \.origin).values.flatMap { parts in
      let parts = parts.sorted { ($0.start, $0.end ?? .infinity) < ($1.start, $1.end ?? .infinity) }
      return stride(from: 0, to: parts.count, by: largestGroup).map { Array(parts[$0...].prefix(largestGroup)) }
    }
    var found: [SoundSource: Result<SoundFacts, SourceError>] = [:]
    for (parts, results) in zip(groups, Processors.map(groups) { library.facts(of: $0, at: rate) }) {
      found.merge(zip(parts, results)) { first, _ in first }
      // libsndfile has one variable for the errors of all threads, so its error is exact only if no other file is opened
      // meanwhile.
      let failed = parts.filter { part in
        guard case .failure(let error)? = found[part] else { return false }
        if case .missing = error { return false }
        return true
      }
      found.merge(zip(failed, library.facts(of: failed, at: rate))) { $1 }
    }
    return found
  }

  /// The largest number of parts of one file for which it is opened once, so that several threads share the parts.
  private static let largestGroup = 1_000

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
