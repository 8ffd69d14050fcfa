package import Markup
import Player
package import Schedule
package import SessionFiles
package import Signal
package import Sounds

/// A session laid out in frames: when each stage, track and cue begins and ends if the listener gives no commands.
///
/// An open stage has no known end. The frames of the stages after it count from 0 again, from the moment at which the
/// listener goes to the next stage.
package struct Timeline: Sendable {
  /// One stage in frames.
  package struct Stage: Sendable {
    package var name: String
    package var begin: FrameTime
    /// Nil for an open stage.
    package var end: FrameTime?
    /// The crossfade into this stage as it is played. The first stage has none.
    package var crossfade: FadeShape
    /// The crossfade's length in the file; nil unless it was shortened.
    package var requestedCrossfade: FrameCount?
    package var music: MusicPlan
    /// The stage's overlays and gongs, in order of their frames.
    package var cues: [Clip]
  }

  /// The session in the form that the player plays.
  package let programme: Programme
  package let stages: [Stage]
  /// The overlays and gongs of the session as a whole, in order of their frames.
  package let cues: [Clip]
  /// The sounds with their loudness and the gains that level them; none if the sounds were not measured.
  package private(set) var levels: [SoundLevel] = []
  /// The parameters of the session with their values.
  package private(set) var parameters: [SessionParameter] = []
  /// The seed of the run, which determines the random moments of gongs; nil if none depends on it.
  package private(set) var seed: UInt64?
  /// The overlays that another overlay cuts off.
  let replacements: [OverlayReplacement]

  package var title: String { programme.title }
  package var rate: SampleRate { programme.rate }
  /// The master volume.
  package var master: Gain { programme.master }

  init(of programme: Programme, _ layouts: [StageLayout], _ cues: PlannedCues) {
    self.programme = programme
    self.cues = cues.session
    replacements = cues.replacements
    stages = layouts.map { layout in
      let stage = programme.stages[layout.stage]
      let openingFade = layout.music.openingFade
      let requested = layout.stage == 0 || openingFade.length == stage.crossfade.length ? nil : stage.crossfade.length
      return Stage(
        name: stage.name, begin: layout.begin, end: layout.end, crossfade: layout.stage == 0 ? .none : openingFade,
        requestedCrossfade: requested, music: layout.music, cues: cues.stages[layout.stage])
    }
  }

  /// The timeline of a session that may have been changed while it plays; nil if it has more cues than a file may have.
  package init?(planning programme: Programme) {
    guard let cues = programme.plannedCues(limit: Session.Limit.cues) else { return nil }
    self.init(of: programme, programme.layout, cues)
  }

  /// The stages, divided after each open one: nobody knows when the next stage begins, so its frames count from 0 again.
  var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in stages.indices where stages[index].end == nil || index + 1 == stages.count {
      runs.append((runs.last?.upperBound ?? 0)..<(index + 1))
    }
    return runs
  }

  /// The timeline with the levels of the session's sounds, and its parameters.
  package func showing(_ levels: [SoundLevel], _ parameters: [SessionParameter] = []) -> Timeline {
    var timeline = self
    (timeline.levels, timeline.parameters) = (levels, parameters)
    return timeline
  }

  /// The first open stage that others follow, at times that nobody knows; nil if there is none.
  package var openStage: String? { runs.count < 2 ? nil : stages[runs[0].upperBound - 1].name }

  /// The frame at which the last sound ends, the tails of gongs included; nil if a stage is open.
  package var end: FrameTime? {
    guard let last = stages.last?.end, !stages.contains(where: { $0.end == nil }) else { return nil }
    return (stages.map(\.cues) + [cues]).joined().lazy.map(\.end).reduce(last, max)
  }
}

extension Timeline {
  /// Lays out a session. It probes the length of each source, so it may wait for files and the network.
  ///
  /// - Returns: the timeline, and warnings about what is not played exactly as the file asks.
  /// - Throws: all problems that were found; those of sources carry their cause.
  package static func compile(
    _ session: Session, library: any SoundLibrary
  ) throws(TimelineFailure) -> (timeline: Timeline, warnings: [Diagnostic]) {
    // Each step throws if there are errors, so the next step can rely on its result.
    let (notes, start) = (TimelineNotes(), SourceLocation(file: session.path))
    let sounds = try TimelineSounds(of: session, library: library, notes: notes)
    let built = ProgrammeBuilder(sounds: sounds).programme(of: session)
    let layouts = try StageChecks(session: session, programme: built, notes: notes).check()
    let programme = RandomGongs(session: session, layouts: layouts, notes: notes).placed(in: built)
    try CueChecks(session: session, programme: programme, layouts: layouts, notes: notes).check()
    // The limit is checked while the cues are computed, so that a hostile file can't exhaust the memory.
    let cues = programme.plannedCues(limit: Session.Limit.cues)
    if cues != nil {
      checkVoices(of: programme, session, notes)
    } else {
      notes.error(
        .tooLarge, start, "the session has more than 100,000 cues", fix: "make overlays and gongs repeat less often")
    }
    try notes.check()
    guard let cues else { throw TimelineFailure(problems: []) }
    var timeline = Timeline(of: programme, layouts, cues)
    timeline.seed = session.needsSeed ? session.seed : nil
    if let end = timeline.end, timeline.rate.frames(Session.Limit.session) < end {
      notes.error(
        .tooLarge, start, "the session is longer than 168 hours",
        fix: "shorten its stages, or the cues that end after it")
    }
    try notes.check()
    // Another overlay ends these before their stage does, which the checks of cues tell.
    let replaced = Set(cues.replacements.map { session.cues[$0.replaced].location })
    let warnings = notes.warnings.filter { $0.code != .cutOff || !replaced.contains($0.location) }
    return (timeline, warnings.sorted { $0.location < $1.location })
  }

  /// Reports that more sounds play at once than a player can hold.
  private static func checkVoices(
    of programme: Programme, _ session: Session, _ notes: TimelineNotes
  ) {
    guard let excess = VoicePlan(programme).excess else { return }
    let time = Clock.text(excess.frame, programme.rate)
    let what =
      excess.bytes.map {
        "\(excess.count) sounds play or load at \(time), which takes \($0 >> 20) MB of memory; the limit is "
          + "\(VoicePlan.mostBytes >> 20) MB"
      } ?? "too many sounds at once: \(excess.count) at \(time); the limit is \(VoicePlan.mostSounds)"
    notes.error(
      .tooLarge, session.cues[excess.cue].location, what, fix: "make overlays and gongs begin less often, or end sooner"
    )
  }
}

/// Why a session can't be laid out: all problems, in the order of the file.
package struct TimelineFailure: Error, Sendable {
  /// One problem with its cause.
  package struct Problem: Sendable, Hashable {
    package var diagnostic: Diagnostic
    /// Why a source can't be played; nil if the session file itself is wrong. It decides the exit status.
    package var cause: SourceError?
  }
  package var problems: [Problem]
}
