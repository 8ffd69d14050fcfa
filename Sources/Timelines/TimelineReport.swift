import Signal

/// A timeline in the formats of `prosper show`: text, JSON, commands, and a drawing.
///
/// Each format is passed to a closure piece by piece, so that a week of short tracks needs little memory.
package struct TimelineReport {
  /// Receives one piece of the report. A piece need not end with a line.
  package typealias Writer = (String) -> Void

  let timeline: Timeline

  package init(_ timeline: Timeline) { self.timeline = timeline }

  var rate: SampleRate { timeline.rate }
}
