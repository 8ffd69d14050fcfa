import Signal

/// The repeats of the plan's overlays, which are written out in it, as one with the overlay that they belong to.
extension Score {
  /// Takes what is still to come of those overlays that have begun out of the plan.
  mutating func takeRepeats(at frame: FrameTime, where isChosen: (Placement) -> Bool) -> [Placement] {
    let cues = programme.cues + cueStages.flatMap { programme.stages[$0].cues }
    let begun = Set(cues.filter { $0.at < frame && $0.layer == .overlay && isChosen($0) }.compactMap(\.repetition))
    if begun.isEmpty { return [] }
    let isTaken = { (cue: Placement) in frame <= cue.at && cue.repetition.map { begun.contains($0) } ?? false }
    var taken = programme.cues.filter(isTaken)
    programme.cues.removeAll(where: isTaken)
    for stage in cueStages {
      taken += programme.stages[stage].cues.filter(isTaken).map { $0.owned(by: stage) }
      programme.stages[stage].cues.removeAll(where: isTaken)
    }
    return taken
  }

  mutating func resumeOverlays(at frame: FrameTime) {
    guard let paused = pausedOverlays else { return }
    pausedOverlays = nil
    let shift = frame - paused.at
    let later = { (overlay: Placement, score: Score) in score.bounded(overlay.later(by: shift, behind: paused.at)) }
    let sounding = paused.underWay.map { later($0, self) }.filter { shift == 0 || frame < $0.end }
    takeUp(sounding.map { $0.shifted(by: -shift) }, later: shift, at: frame)
    series += paused.series.map { $0.shifted(by: shift) }
    let repeats = paused.repeats.map { (old: $0, new: later($0, self)) }
    putBack(repeats.filter { $0.new.at < $0.new.end && fits($0.new, insteadOf: $0.old) }.map(\.new))
  }

  /// None is begun behind its stage, unless the plan has it there.
  private func fits(_ new: Placement, insteadOf old: Placement) -> Bool {
    guard let stage = new.stage, let end = programme.stages[stage].end else { return true }
    return new.at < end || end <= old.at
  }

  /// An overlay leaves with its stage when another one follows.
  private func bounded(_ overlay: Placement) -> Placement {
    guard let stage = overlay.stage, overlay.leave == nil, run.contains(stage), stage + 1 < run.upperBound,
      let end = programme.stages[stage].end, end < overlay.end
    else { return overlay }
    var bounded = overlay
    let shape = programme.stages[stage + 1].music.entrance
    bounded.leave(at: end, over: shape.length < ramp.length ? ramp : shape)
    return bounded
  }

  private mutating func putBack(_ cues: [Placement]) {
    for cue in cues {
      guard let stage = cue.stage else {
        programme.cues.append(cue)
        continue
      }
      programme.stages[stage].cues.append(cue)
    }
    programme.cues.sort { $0.at < $1.at }
    for stage in Set(cues.compactMap(\.stage)) { programme.stages[stage].cues.sort { $0.at < $1.at } }
  }
}

extension Placement {
  fileprivate func owned(by stage: Int) -> Placement {
    var cue = self
    cue.stage = stage
    return cue
  }

  /// The same, that many frames later; but what makes it leave from `frame` on, its stage's end or another overlay,
  /// comes when it comes.
  fileprivate func later(by frames: FrameCount, behind frame: FrameTime) -> Placement {
    var moved = shifted(by: frames)
    guard let leave, frame <= leave.start else { return moved }
    moved.leave = leave
    moved.length = min(moved.end, leave.end) - moved.at
    return moved
  }
}
