import Engine
import Signal

/// The probed facts of every sound of a session, each source asked once at each rate.
struct TimelineSounds {
  let rate: SampleRate
  private var facts: [SoundSource: SoundFacts] = [:]

  /// At the session's rate, or else at that which most of its source time has.
  init(of session: Session, library: any SoundLibrary, notes: inout TimelineNotes) throws(TimelineFailure) {
    let sounds = session.sounds
    let provisional = session.sampleRate ?? .studio
    let found = Self.probe(sounds, at: provisional, library, &notes)
    try notes.check()
    rate = session.sampleRate ?? Self.prevailing(sounds.compactMap { found[$0.source] }, at: provisional)
    facts = rate == provisional ? found : Self.probe(sounds, at: rate, library, &notes)
    for sound in sounds where facts[sound.source]?.length == 0 {
      notes.error(
        sound.place, "'\(sound.title)' contains no sound", mend: "choose another file, or a longer part of it")
    }
    try notes.check()
  }

  func length(of sound: Session.Sound) -> FrameCount { facts[sound.source]?.length ?? 0 }

  func tags(of sound: Session.Sound) -> SoundTags { facts[sound.source]?.tags ?? SoundTags() }

  private static func probe(
    _ sounds: [Session.Sound], at rate: SampleRate, _ library: any SoundLibrary, _ notes: inout TimelineNotes
  ) -> [SoundSource: SoundFacts] {
    var facts: [SoundSource: SoundFacts] = [:]
    var asked: Set<SoundSource> = []
    for sound in sounds where asked.insert(sound.source).inserted {
      do throws(SourceError) {
        facts[sound.source] = try library.probe(sound.source, at: rate)
      } catch {
        let diagnostic = Diagnostic(error, in: notes.path, at: sound.place)
        notes.problems.append(TimelineFailure.Problem(diagnostic: diagnostic, cause: error))
      }
    }
    return facts
  }

  /// The rate with the most seconds; of two with as many, the higher; 48,000 Hz where no sound has one.
  private static func prevailing(_ facts: [SoundFacts], at rate: SampleRate) -> SampleRate {
    var seconds: [SampleRate: Double] = [:]
    for fact in facts where fact.length != .endless {
      guard let own = fact.rate.flatMap(SampleRate.init(hertz:)) else { continue }
      seconds[own, default: 0] += rate.seconds(fact.length)
    }
    return seconds.max { ($0.value, $0.key.hertz) < ($1.value, $1.key.hertz) }?.key ?? .studio
  }
}
