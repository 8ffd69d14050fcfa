package import Markup
import Player
import Schedule
package import SessionFiles
import Signal
package import Sounds

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
    let programme = ProgrammeBuilder(sounds: sounds).programme(of: session)
    let layouts = try StageChecks(session: session, programme: programme, notes: notes).check()
    try CueChecks(session: session, programme: programme, layouts: layouts, notes: notes).check()
    // The limit is checked while the cues are computed, so that a hostile file can't exhaust the memory.
    let cues = programme.plannedCues(limit: Session.Limit.cues)
    if let cues {
      checkVoices(of: programme, cues, session, notes)
    } else {
      notes.error(start, "the session has more than 100,000 cues", fix: "make overlays and gongs repeat less often")
    }
    try notes.check()
    guard let cues else { throw TimelineFailure(problems: []) }
    let timeline = Timeline(of: programme, layouts, cues)
    if let end = timeline.end, timeline.rate.frames(Session.Limit.session) < end {
      notes.error(
        start, "the session is longer than 168 hours", fix: "shorten its stages, or the cues that end after it")
    }
    try notes.check()
    return (timeline, notes.warnings.sorted { $0.location < $1.location })
  }

  /// Reports that more sounds play at once than a player can hold.
  private static func checkVoices(
    of programme: Programme, _ cues: PlannedCues, _ session: Session, _ notes: TimelineNotes
  ) {
    guard let excess = VoicePlan(programme, cues).excess else { return }
    let time = Clock.text(excess.frame, programme.rate)
    let what =
      excess.bytes.map {
        "\(excess.count) sounds play or load at \(time), which takes \($0 >> 20) MB of memory; the limit is "
          + "\(VoicePlan.mostBytes >> 20) MB"
      } ?? "too many sounds at once: \(excess.count) at \(time); the limit is \(VoicePlan.mostSounds)"
    notes.error(
      session.cues[excess.cue].location, what, fix: "make overlays and gongs begin less often, or end sooner")
  }
}
