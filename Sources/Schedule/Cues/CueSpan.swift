import Signal

/// The time span to which a cue's positions refer: one visit to a stage, or the session.
package struct CueSpan: Sendable {
  /// Index of the stage; nil for the session.
  package var stage: Int?
  /// Number of the visit to a stage, from 1; 0 for the session.
  var visit: Int
  /// In session frames with their fractions; the end is nil for an open stage.
  package var begin: Double
  package var end: Double?
  /// How overlays fade out at the end of the span; nil if they play to their own end.
  package var fadeOut: FadeShape?
  /// Cues before this frame are omitted, because the listener navigated into the middle of the stage.
  var from: FrameTime = .min
  /// No cue begins at or after this frame, because a command is ending the session.
  var until: FrameTime = .endless

  package init(_ layout: StageLayout, visit: Int = 1) {
    stage = layout.stage
    self.visit = visit
    (begin, end) = (layout.exactBegin, layout.exactEnd)
    fadeOut = layout.exactEnd == nil ? nil : layout.crossfadeOut
  }

  /// The whole session. `end` is the end of its last stage; nil if it is unknown.
  package init(sessionEnding end: Double?) {
    (visit, begin) = (0, 0)
    self.end = end
  }

  var endFrame: FrameTime { end.map { FrameTime(nearest: $0) } ?? .endless }

  /// The session frame of a position, with its fraction; nil if it counts from an unknown end.
  package func exact(_ position: Programme.Position) -> Double? {
    switch position {
    case .afterStart(let frames): begin + frames
    case .beforeEnd(let frames): end.map { $0 - frames }
    }
  }

  /// The session frame of a position; nil if it is outside the span.
  func frame(_ position: Programme.Position) -> FrameTime? {
    guard let exact = exact(position) else { return nil }
    let frame = FrameTime(nearest: exact)
    return FrameTime(nearest: begin) <= frame && frame <= endFrame ? frame : nil
  }

  /// Whether a cue may begin at `frame`: the listener has not skipped it, and the session is not ending.
  func holds(_ frame: FrameTime) -> Bool { from <= frame && frame < until }
}

extension Programme {
  /// The spans to which the cues of successive stages can belong, that of the session first.
  func spans(of layouts: [StageLayout], visit: Int = 1) -> [CueSpan] {
    // Session-wide positions that count from the end apply only if the layouts reach the last stage.
    let isWhole = layouts.last?.stage == stages.count - 1
    return [CueSpan(sessionEnding: isWhole ? layouts.last?.exactEnd : nil)]
      + layouts.map { CueSpan($0, visit: visit) }
  }
}

/// Identifies one start of one cue, independent of edits.
struct CueKey: Sendable, Hashable {
  var visit: Int
  var cue: Int
  /// Index into the cue's positions.
  var start: Int

  /// The key with the visit `new` if its visit is `old`.
  func renumbered(_ old: Int, _ new: Int) -> CueKey {
    visit == old ? CueKey(visit: new, cue: cue, start: start) : self
  }
}

/// A cue that a command started at a frame of a stage.
struct CommandedCue<Cue: Sendable>: Sendable {
  var key: CueKey
  var cue: Cue
  var stage: Int
  var at: FrameTime

  init(_ cue: Cue, id: Int, visit: Int, stage: Int, at frame: FrameTime) {
    (key, self.cue, self.stage, at) = (CueKey(visit: visit, cue: id, start: 0), cue, stage, frame)
  }
}

/// A range of frames in which something is paused; `to` is nil until it is resumed.
struct PausedFrames: Sendable, Hashable {
  var from: FrameTime
  var to: FrameTime?
}
