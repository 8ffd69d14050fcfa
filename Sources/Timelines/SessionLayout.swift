package import Markup
import Player
package import Schedule
package import SessionFiles
package import Signal
package import Sounds

/// A session laid out in frames, without the list of its cues: for a session with many gongs, that list takes more memory
/// than playback does. `timeline` makes it.
package struct SessionLayout: Sendable {
  /// The session in the form that the player plays.
  package let programme: Programme
  let stages: [StageLayout]
  /// The frame at which the last sound ends, the tails of gongs included; nil if a stage is open.
  package let end: FrameTime?
  /// The sounds with their loudness and the gains that level them; none if the sounds were not measured.
  package private(set) var levels: [SoundLevel] = []
  /// The parameters of the session with their values.
  package private(set) var parameters: [SessionParameter] = []
  /// The seed of the run, which determines the random moments of gongs; nil if none depends on it.
  package private(set) var seed: UInt64?

  package var rate: SampleRate { programme.rate }

  private init(of programme: Programme, _ stages: [StageLayout], _ extent: CueExtent) {
    (self.programme, self.stages) = (programme, stages)
    let isOpen = stages.contains { $0.end == nil }
    end = isOpen ? nil : stages.last?.end.map { max($0, extent.end) }
  }

  /// The layout of a session that may have been changed while it plays; nil if it has more cues than a file may have.
  init?(planning programme: Programme) {
    guard let extent = CueExtent(of: programme) else { return nil }
    self.init(of: programme, programme.layout, extent)
  }

  /// The layout with the levels of the session's sounds, and its parameters.
  package func showing(_ levels: [SoundLevel], _ parameters: [SessionParameter]) -> SessionLayout {
    var layout = self
    (layout.levels, layout.parameters) = (levels, parameters)
    return layout
  }

  /// The session with each of its cues, which are listed on each use.
  package var timeline: Timeline { Timeline(self, programme.plannedCues) }
}

/// How long the cues of a session last, and which of them are cut off.
private struct CueExtent {
  /// The frame at which the last cue ends; 0 without cues.
  let end: FrameTime
  /// The overlays that another overlay cuts off.
  let replacements: [OverlayReplacement]

  /// Nil if there are more cues than a file may have. They are not kept, so a hostile file can't exhaust the memory.
  init?(of programme: Programme) {
    var last: FrameTime = 0
    guard let replacements = programme.visitCues(limit: Session.Limit.cues, { last = max(last, $1.end) }) else {
      return nil
    }
    (end, self.replacements) = (last, replacements)
  }
}

extension SessionLayout {
  /// Lays out a session. It probes the length of each source, so it may wait for files and the network.
  ///
  /// - Returns: the session laid out, and warnings about what is not played exactly as the file asks.
  /// - Throws: all problems that were found; those of sources carry their cause.
  package static func compile(
    _ session: Session, library: any SoundLibrary
  ) throws(TimelineFailure) -> (layout: SessionLayout, warnings: [Diagnostic]) {
    // Each step throws if there are errors, so the next step can rely on its result.
    let (notes, start) = (TimelineNotes(), SourceLocation(file: session.path))
    let sounds = try TimelineSounds(of: session, library: library, notes: notes)
    let built = ProgrammeBuilder(sounds: sounds).programme(of: session)
    let layouts = try StageChecks(session: session, programme: built, notes: notes).check()
    let programme = RandomGongs(session: session, layouts: layouts, notes: notes).placed(in: built)
    try CueChecks(session: session, programme: programme, layouts: layouts, notes: notes).check()
    let extent = CueExtent(of: programme)
    if extent != nil {
      checkVoices(of: programme, session, notes)
    } else {
      notes.error(
        .tooLarge, start, "the session has more than 100,000 cues", fix: "make overlays and gongs repeat less often")
    }
    try notes.check()
    guard let extent else { throw TimelineFailure(problems: []) }
    var layout = SessionLayout(of: programme, layouts, extent)
    layout.seed = session.needsSeed ? session.seed : nil
    if let end = layout.end, layout.rate.frames(Session.Limit.session) < end {
      notes.error(
        .tooLarge, start, "the session is longer than 168 hours",
        fix: "shorten its stages, or the cues that end after it")
    }
    try notes.check()
    // Another overlay ends these before their stage does, which the checks of cues tell.
    let replaced = Set(extent.replacements.map { session.cues[$0.replaced].location })
    let warnings = notes.warnings.filter { $0.code != .cutOff || !replaced.contains($0.location) }
    return (layout, warnings.sorted { $0.location < $1.location })
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
