import Signal

/// The music of one stage as it is played: the turn under way, from which all that follow are worked out.
struct MusicLine: Sendable {
  /// How often the listener had gone elsewhere when it began.
  var move: Int
  var stage: Int
  /// As the stage is laid out now; of a stage that has been left, as it was then.
  var plan: MusicPlan
  /// The turn that has begun last, or else the first one; nil where nothing sounds.
  var turn: MusicPlan.Turn?
  var hasBegun = false

  /// What is to sound from the turn under way on.
  var clips: MusicPlan.Clips { MusicPlan.Clips(plan: plan, from: turn, move: move, stage: stage) }

  func clip(of turn: MusicPlan.Turn) -> Clip { plan.clip(of: turn, move: move, stage: stage) }

  /// The clip under way; nil where none has begun, or it is over.
  func current(at frame: FrameTime) -> Clip? {
    guard hasBegun, let turn else { return nil }
    let clip = clip(of: turn)
    return frame < clip.end ? clip : nil
  }

  /// The same of music that is paused, with what is to begin where it stands.
  func waiting(at frame: FrameTime) -> Clip? {
    if hasBegun { return current(at: frame) }
    return turn.map { clip(of: $0) }.flatMap { $0.begin <= frame ? $0 : nil }
  }

  /// Moves on to the last turn that has begun before `frame`.
  ///
  /// - Returns: the clips before it that end behind `kept`.
  mutating func advance(to frame: FrameTime, keeping kept: FrameTime) -> [Clip] {
    guard let first = turn, first.begin < frame else { return [] }
    hasBegun = true
    var passed: [Clip] = []
    // Turns overlap by half of the shorter one at most: only the last ones can still sound.
    if let far = farTurn(before: min(frame, kept)) { turn = far }
    while let now = turn, let next = plan.successor(of: now), next.begin < frame, !isOver(by: next.begin) {
      let clip = clip(of: now)
      if kept < clip.end { passed.append(clip) }
      turn = next
    }
    return passed
  }

  /// A turn a few before the last one that has begun; nil where it isn't worth the arithmetic.
  private func farTurn(before frame: FrameTime) -> MusicPlan.Turn? {
    guard let turn, let next = plan.successor(of: turn), next.at < frame else { return nil }
    let length = plan.tracks.map { min($0.length, 1 << 40) }.max() ?? 0
    let safe = min(frame, plan.departure?.end ?? .endless) - 3 * length
    return turn.at < safe ? plan.turn(at: safe, from: turn) : nil
  }

  /// The turn under way keeps its fade-in, whatever becomes of the plan's crossfade.
  mutating func keepFadeIn() {
    guard hasBegun, var turn else { return }
    turn.fadeIn = clip(of: turn).fadeIn
    self.turn = turn
  }

  /// Nothing of it sounds from here on.
  var end: FrameTime {
    guard let turn else { return .min }
    return min(plan.departure?.end ?? .endless, plan.end(from: turn))
  }

  private func isOver(by frame: FrameTime) -> Bool { plan.departure.map { $0.end <= frame } ?? false }

  /// The line continues at `frame`, where it was paused, that many frames later.
  func continued(at frame: FrameTime, later shift: FrameCount, ramp: FrameCount) -> MusicLine {
    guard let turn, shift != 0 else { return self }
    var line = self
    line.turn = turn.continued(at: frame, later: shift, fadeIn: clip(of: turn).fadeIn, ramp: ramp)
    return line
  }
}
