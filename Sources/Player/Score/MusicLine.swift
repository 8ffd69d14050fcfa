import Signal

/// Where a stage's music is: the turn under way and the one that follows it, as the listener has moved them.
struct MusicLine: Sendable {
  var stage: Int
  var current: MusicPlan.Turn?
  /// Nil when the tracks are used up.
  var next: MusicPlan.Turn?

  init(stage: Int, opening turn: MusicPlan.Turn?) {
    self.stage = stage
    next = turn
  }

  /// Goes on to the turns that have begun before `frame`.
  mutating func advance(to frame: FrameTime, in plan: MusicPlan) {
    while let turn = next, max(turn.at, turn.enters ?? turn.at) < frame {
      current = turn
      next = plan.successor(of: turn)
    }
  }
}
