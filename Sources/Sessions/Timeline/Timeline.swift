package import Engine
package import Player
package import Signal

/// A session laid out in frames: when each stage, track and cue begins and ends.
///
/// Behind an open stage the frames count anew, from the moment at which the listener goes on.
package struct Timeline: Sendable {
  package struct Stage: Sendable {
    package var name: String
    package var begin: FrameTime
    /// Nil for an open stage.
    package var end: FrameTime?
    /// The file gives it no duration.
    package var endsWithMusic = false
    /// Into this stage, as it is played.
    package var crossfade: FadeShape
    /// What the file asked for, where the tracks are too short for it.
    package var crossfadeAsked: FrameCount?
    package var music: MusicPlan
    /// In the order of their frames.
    package var cues: [Placement]
  }

  package var title: String
  package var rate: SampleRate
  package var master: Gain
  package var stages: [Stage]
  /// Session-wide cues in the order of their frames.
  package var cues: [Placement]

  package var programme: Programme {
    let stages = stages.map { stage in
      var played = Programme.Stage(
        name: stage.name, begin: stage.begin, end: stage.end, music: stage.music, cues: stage.cues)
      played.endsWithMusic = stage.endsWithMusic
      return played
    }
    return Programme(title: title, rate: rate, master: master, stages: stages, cues: cues)
  }

  /// The frame at which the last sound has ended; nil when an open stage decides.
  package var end: FrameTime? { programme.end }
}

/// Everything that keeps a session from being laid out, in the order of the file.
package struct TimelineFailure: Error, Sendable {
  package struct Problem: Sendable, Hashable {
    package var diagnostic: Diagnostic
    /// Where a source can't be played; nil where the session file itself is wrong.
    package var cause: SourceError?
  }
  package var problems: [Problem]
}
