import Signal

/// What a cue's positions count from and how long it may go on: a stage at its frames, or the session.
public struct CueSpan: Sendable {
  /// Nil for the session.
  public var stage: Int?
  /// How often stages had been gone to before this one was; 0 for the session.
  var visit: Int
  /// In frames, with their fractions; the end is nil where the listener decides.
  public var begin: Double
  public var end: Double?
  /// How its overlays leave at the end; nil where they ring out.
  public var leaving: FadeShape?
  /// What would begin before has been skipped: the listener has gone into the middle of the stage.
  var from: FrameTime = .min
  /// No cue begins from here on: the session is being ended.
  var until: FrameTime = .endless

  public init(_ layout: StageLayout, visit: Int = 1) {
    stage = layout.stage
    self.visit = visit
    (begin, end) = (layout.exactBegin, layout.exactEnd)
    leaving = layout.exactEnd == nil ? nil : layout.leaving
  }

  /// The session as a whole; `end` is where its last stage ends.
  public init(sessionEnding end: Double?) {
    (visit, begin) = (0, 0)
    self.end = end
  }

  var endFrame: FrameTime { end.map { FrameTime(nearest: $0) } ?? .endless }

  /// In frames, with their fraction; nil where it counts from an end that isn't known.
  public func exact(_ position: Programme.Position) -> Double? {
    switch position {
    case .afterStart(let frames): begin + frames
    case .beforeEnd(let frames): end.map { $0 - frames }
    }
  }

  /// The frame of a position within the span; nil where it lies outside.
  func frame(_ position: Programme.Position) -> FrameTime? {
    guard let exact = exact(position) else { return nil }
    let frame = FrameTime(nearest: exact)
    return FrameTime(nearest: begin) <= frame && frame <= endFrame ? frame : nil
  }

  func holds(_ frame: FrameTime) -> Bool { from <= frame && frame < until }
}

/// One start of one cue, whatever becomes of it.
struct CueKey: Sendable, Hashable {
  var visit: Int
  var cue: Int
  /// Which of its positions.
  var start: Int
}

/// A cue that a listener has asked for, at a frame of a stage.
struct CommandedCue<Cue: Sendable>: Sendable {
  var cue: Cue
  var visit: Int
  var stage: Int
  var at: FrameTime
}

/// Frames in which something was paused; without an end while it still is.
struct PausedFrames: Sendable, Hashable {
  var from: FrameTime
  var to: FrameTime?
}
