package import Markup
package import Schedule
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

  /// The stages, divided after each open one: nobody knows when the next stage begins, so its frames count from 0 again.
  var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in stages.indices where stages[index].end == nil || index + 1 == stages.count {
      runs.append((runs.last?.upperBound ?? 0)..<(index + 1))
    }
    return runs
  }

  /// The frame at which the last sound ends, the tails of gongs included; nil if a stage is open.
  package var end: FrameTime? {
    guard let last = stages.last?.end, !stages.contains(where: { $0.end == nil }) else { return nil }
    let cues = stages.flatMap(\.cues) + cues
    return max(last, cues.map(\.end).max() ?? 0)
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
