package import Engine
package import Schedule
package import Signal

/// A session laid out in frames: when each stage, track and cue begins and ends if the listener changes nothing.
///
/// After an open stage the frames count anew, from the moment at which the listener moves on.
package struct Timeline: Sendable {
  package struct Stage: Sendable {
    package var name: String
    package var begin: FrameTime
    /// Nil for an open stage.
    package var end: FrameTime?
    /// Into this stage, as it is played.
    package var crossfade: FadeShape
    /// The length in the file, if the tracks are too short for it.
    package var crossfadeAsked: FrameCount?
    package var music: MusicPlan
    /// In the order of their frames.
    package var cues: [Clip]
  }

  /// What the player plays.
  package let programme: Programme
  package let stages: [Stage]
  /// Session-wide cues in the order of their frames.
  package let cues: [Clip]

  package var title: String { programme.title }
  package var rate: SampleRate { programme.rate }
  package var master: Gain { programme.master }

  init(of programme: Programme, _ layouts: [StageLayout], _ cues: PlannedCues) {
    self.programme = programme
    self.cues = cues.session
    stages = layouts.map { layout in
      let stage = programme.stages[layout.stage]
      let entrance = layout.music.entrance
      let asked = layout.stage == 0 || entrance.length == stage.crossfade.length ? nil : stage.crossfade.length
      return Stage(
        name: stage.name, begin: layout.begin, end: layout.end, crossfade: layout.stage == 0 ? .none : entrance,
        crossfadeAsked: asked, music: layout.music, cues: cues.stages[layout.stage])
    }
  }

  /// The frame at which the last sound ends; nil if a stage is open.
  package var end: FrameTime? {
    guard let last = stages.last?.end, !stages.contains(where: { $0.end == nil }) else { return nil }
    let cues = stages.flatMap(\.cues) + cues
    return max(last, cues.map(\.end).max() ?? 0)
  }
}

/// Everything that keeps a session from being laid out, in the order of the file.
package struct TimelineFailure: Error, Sendable {
  package struct Problem: Sendable, Hashable {
    package var diagnostic: Diagnostic
    /// Why a source can't be played; nil if the session file itself is wrong.
    package var cause: SourceError?
  }
  package var problems: [Problem]
}
