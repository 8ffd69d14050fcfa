/// A format of `prosper show`.
package enum TimelineReport: Sendable {
  /// For a terminal of 100 columns: stages with their tracks and cues, at their exact times.
  case text
  /// One JSON object; see `JSONReport`.
  case json
  /// Commands in order of time; see `CommandReport`.
  case commands
  /// An SVG picture, with the sound of the session if it is known; see `Picture`.
  case svg(Waveforms?)
  /// The stages as chapters of a podcast, in JSON; this and the other lists of stages: see `StageList`.
  case chapters
  /// The stages as a cue sheet of a sound file with this name.
  case cueSheet(of: String)
  /// The stages as labels for Audacity.
  case labels
  /// What is said when, in a format for captions; see `CaptionList`.
  case captions(CaptionList.Format)

  /// Receives one piece of the report. A piece need not end with a line.
  package typealias Writer = (String) -> Void

  /// Passes a timeline to a closure piece by piece, so that a week of short tracks needs little memory.
  package func write(_ timeline: Timeline, _ write: @escaping Writer) {
    switch self {
    case .text: TextReport(timeline, write).report()
    case .json: JSONReport(timeline, write).report()
    case .commands: CommandReport(timeline, write).report()
    case .svg(let waveforms): Picture(timeline, waveforms, write).draw()
    case .chapters: StageList(timeline, write).chapters()
    case .cueSheet(let file): StageList(timeline, write).cueSheet(of: file)
    case .labels: StageList(timeline, write).labels()
    case .captions(let format): CaptionList(timeline, format).write(write)
    }
  }
}
