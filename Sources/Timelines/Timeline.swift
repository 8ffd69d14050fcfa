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

  private let layout: SessionLayout
  package let stages: [Stage]
  /// The overlays and gongs of the session as a whole, in order of their frames.
  package let cues: [Clip]
  /// The overlays that another overlay cuts off.
  let replacements: [OverlayReplacement]

  /// The session in the form that the player plays.
  package var programme: Programme { layout.programme }
  /// The sounds with their loudness and the gains that level them; none if the sounds were not measured.
  package var levels: [SoundLevel] { layout.levels }
  /// The parameters of the session with their values.
  package var parameters: [SessionParameter] { layout.parameters }
  /// The seed of the run, which determines the random moments of gongs; nil if none depends on it.
  package var seed: UInt64? { layout.seed }
  /// The frame at which the last sound ends, the tails of gongs included; nil if a stage is open.
  package var end: FrameTime? { layout.end }
  package var title: String { programme.title }
  package var rate: SampleRate { programme.rate }
  /// The master volume.
  package var master: Gain { programme.master }

  init(_ layout: SessionLayout, _ cues: PlannedCues) {
    let programme = layout.programme
    self.layout = layout
    self.cues = cues.session
    replacements = cues.replacements
    stages = layout.stages.map { layout in
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
    guard let layout = SessionLayout(planning: programme) else { return nil }
    self = layout.timeline
  }

  /// As `SessionLayout.compile`, with all cues.
  package static func compile(
    _ session: Session, library: any SoundLibrary
  ) throws(TimelineFailure) -> (timeline: Timeline, warnings: [Diagnostic]) {
    let (layout, warnings) = try SessionLayout.compile(session, library: library)
    return (layout.timeline, warnings)
  }

  /// The stages, divided after each open one: nobody knows when the next stage begins, so its frames count from 0 again.
  var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in stages.indices where stages[index].end == nil || index + 1 == stages.count {
      runs.append((runs.last?.upperBound ?? 0)..<(index + 1))
    }
    return runs
  }

  /// The first open stage that others follow, at times that nobody knows; nil if there is none.
  package var openStage: String? { runs.count < 2 ? nil : stages[runs[0].upperBound - 1].name }
}
