package import Engine
import Player
import Signal

extension Timeline {
  /// Lays a session out; opens nothing, but probes each source.
  ///
  /// - Returns: the timeline, and warnings for what is played otherwise than the file asks.
  /// - Throws: every problem at once; those of sources carry their cause.
  package static func compile(
    _ session: Session, library: any SoundLibrary
  ) throws(TimelineFailure) -> (timeline: Timeline, warnings: [Diagnostic]) {
    var notes = TimelineNotes(path: session.path)
    let sounds = try TimelineSounds(of: session, library: library, notes: &notes)
    var stages = TimelineStages(session: session, sounds: sounds, notes: notes)
    let spans = try stages.layOut()
    var cues = TimelineCues(session: session, sounds: sounds, spans: spans, notes: stages.notes)
    let placed = try cues.place()
    var timeline = Timeline(
      title: session.title, rate: sounds.rate, master: session.volume, stages: spans.map(\.stage), cues: placed.session)
    for index in spans.indices { timeline.stages[index].cues = placed.stages[index] }
    try checkLength(of: timeline, notes: &cues.notes)
    return (timeline, cues.notes.warnings.sorted { $0.place < $1.place })
  }

  private static func checkLength(of timeline: Timeline, notes: inout TimelineNotes) throws(TimelineFailure) {
    let place = Place(line: 1, column: 1)
    if let end = timeline.end, timeline.rate.frames(TimelineLimits.seconds) < end {
      notes.error(place, "the session is longer than 168 hours", mend: "shorten its stages, or the cues behind its end")
    }
    try notes.check()
  }
}

/// What a session may ask for at most.
enum TimelineLimits {
  static let seconds = 168.0 * 3600
  static let cues = 100_000.0
  /// How far cues that repeat "forever" are planned in an open stage, in seconds.
  static let openStage = 24.0 * 3600
  /// The shortest fade that doesn't click, in seconds.
  static let ramp = 0.02
}
