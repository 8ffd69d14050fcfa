import Signal

/// A timeline as `prosper show` tells it: as text, as JSON, as commands and as a drawing.
///
/// Each is handed piece by piece to a closure, so that a week of short tracks takes no memory.
package struct TimelineReport {
  package typealias Writer = (String) -> Void

  let timeline: Timeline

  package init(_ timeline: Timeline) { self.timeline = timeline }

  var rate: SampleRate { timeline.rate }
}
