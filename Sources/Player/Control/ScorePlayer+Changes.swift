import Engine
import Signal

/// Changing the score under what sounds.
extension ScorePlayer {
  /// Has the render stand still, and takes in what has happened up to there.
  ///
  /// - Returns: the frame from which on everything can be changed; nil when the render has ended.
  mutating func halt() -> FrameTime? {
    guard let frame = desk.halt() else { return nil }
    collectReports(heardUpTo: frame)
    reports = []
    return frame
  }

  /// Goes on from a halt with the score as an edit has left it.
  ///
  /// - Returns: what is to be told of it.
  mutating func goOn(
    from frame: FrameTime, at edited: FrameTime, with primed: [PrimedSource] = [], editing edit: (inout Score) -> Void
  ) -> [PlayerEvent] {
    score.rebase(at: frame, sounding: sounding)
    if let unplayable = unplayable.take()?.asUnplayable { score.passOver(unplayable.entry, ofStage: unplayable.stage) }
    edit(&score)
    self.primed = primed
    (unclaimed, unclaimedLoads) = (playing, awaited)
    (playing, awaited) = ([:], [:])
    let before = planned
    (origin, planned) = (frame, frame)
    upcoming = Upcoming(score)
    settings.command(&desk, at: frame)
    desk.duck(ducking.resume(at: frame))
    let told = narrator.replan(score, at: frame, edited: edited)
    planAnew(upTo: before)
    return told
  }

  private mutating func planAnew(upTo before: FrameTime) {
    horizon.end(at: closing ?? score.end ?? .endless)
    // What was commanded before is asked for anew, as far as it was.
    while planned < max(before, origin + rate.frames(Self.lookahead)), planStep() {}
    for (voice, placement) in unclaimed.sorted(by: { $0.key < $1.key }) { dismiss(placement, voice: voice) }
    (unclaimed, unclaimedLoads) = ([:], [:])
    primed = []
    plan()
  }

  private mutating func dismiss(_ placement: Placement, voice: Int32) {
    told.remove(voice)
    desk.giveBack(voice)
    if let duck = placement.duck, placement.begin < origin {
      desk.duck(ducking.release(duck, for: placement, at: origin, from: origin))
    }
  }

  /// In the order of their beginnings: the newest is the last.
  private var sounding: [Placement] { playing.values.sorted { ($0.begin, $0.serial) < ($1.begin, $1.serial) } }

  /// Where so many steps lead to from about `frame`.
  func target(steps: Int, at frame: FrameTime) -> Score.Target? {
    var now = score
    now.rebase(at: frame, sounding: sounding)
    return now.target(steps: steps)
  }

  /// What would have to be opened to go on from about `frame` with an edit of the score.
  func needs(of edit: (inout Score) -> Void, at frame: FrameTime) -> [PrimedSource.Need] {
    arrivals(by: edit, at: frame).map { PrimedSource.Need($0) }
  }

  /// What an edit of the score would have begin at about `frame`.
  func arrivals(by edit: (inout Score) -> Void, at frame: FrameTime) -> [Placement] {
    var preview = score
    preview.rebase(at: frame, sounding: sounding)
    edit(&preview)
    var upcoming = Upcoming(preview)
    var arrivals: [Placement] = []
    var fed = sounding
    while let placement = upcoming.head, placement.begin <= frame + rate.frames(Self.step) {
      upcoming.drop()
      if let place = fed.firstIndex(where: { $0.isAlignedWith(placement) }) {
        fed.remove(at: place)
      } else if frame < placement.end {
        var placement = placement
        placement.enters = max(placement.begin, placement.at < frame ? frame : placement.at)
        arrivals.append(placement)
      }
    }
    return arrivals
  }
}
