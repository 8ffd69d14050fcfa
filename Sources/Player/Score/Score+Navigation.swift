import Signal

/// Every navigation is one transition: what sounds leaves at a frame, and something else is entered there.
extension Score {
  /// Enters a track of the stage under way, `position` frames behind its beginning.
  ///
  /// - Parameter shape: of the crossfade; `nil` for none, which is the shortest one that doesn't click.
  mutating func enter(track index: Int, pass: Int, position: FrameCount, at frame: FrameTime, over shape: FadeShape?) {
    let shape = shape.map { crossfade($0, into: plan.tracks[index]) } ?? .none
    leaveMusic(at: frame, over: shape)
    var turn = MusicPlan.Turn(entry: PlaylistEntry(index: index, pass: pass, overlap: 0), at: frame - position)
    turn.enters = frame
    turn.ramp = ramp.length
    // Not the fade of the stage's beginning, whichever track it is.
    turn.arrival = shape
    turn.entry.overlap = shape.length
    lines = [MusicLine(stage: stage, opening: turn)]
    pausedMusic = nil
    retime(from: turn)
  }

  /// Enters a stage, `position` frames behind its beginning.
  mutating func enter(stage next: Int, position: FrameCount, at frame: FrameTime, isCrossfaded: Bool) {
    let entrance = programme.stages[next].music.crossfade
    let tracks = programme.stages[next].music.tracks
    let shape = isCrossfaded ? tracks.first.map { crossfade(entrance, into: $0) } ?? entrance : .none
    leaveMusic(at: frame, over: shape)
    leaveOverlays(ofStage: true, at: frame, over: shape)
    move(to: next, at: frame, position: position)
    var turn = position == 0 ? plan.first : plan.turn(at: frame)
    turn?.enters = frame
    turn?.ramp = ramp.length
    if 0 < shape.length { turn?.arrival = shape }
    lines = [MusicLine(stage: next, opening: turn)]
    if let turn { retime(from: turn) }
  }

  /// A crossfade longer than half of the incoming track is shortened to that; none is shorter than what doesn't click.
  private func crossfade(_ shape: FadeShape, into track: Track) -> FadeShape {
    FadeShape(length: max(min(shape.length, track.length / 2), min(ramp.length, track.length)), curve: shape.curve)
  }

  /// The music leaves under the fade. Of a crossfade under way the one side leaves as the next one asks for, the other
  /// is on its way out and goes on with it.
  mutating func leaveMusic(at frame: FrameTime, over shape: FadeShape) {
    let isGoing = turnCrossfade(at: frame)
    if ramp.length < shape.length { hearSought(at: frame) }
    leave(at: frame, over: shape) { $0.layer == .music && !isGoing.contains($0.serial) }
  }

  /// What was sought in the middle of a track at this very frame leaves like a track that sounds; what was to begin there
  /// is never heard.
  private mutating func hearSought(at frame: FrameTime) {
    guard let turn = line.next, turn.enters == frame, turn.at < frame else { return }
    var sought = plan.placement(of: turn, in: stage)
    sought.isTakenUp = true
    underWay.append(sought)
  }

  /// - Parameter ofStage: those of the stage alone; the session's go on.
  mutating func leaveOverlays(ofStage: Bool = false, at frame: FrameTime, over shape: FadeShape) {
    leave(at: frame, over: shape) { $0.layer == .overlay && (!ofStage || $0.stage != nil) }
  }

  /// What is chosen ends under the fade, or under the shortest one that doesn't click; in a pause at once.
  mutating func leave(at frame: FrameTime, over shape: FadeShape, where isChosen: (Placement) -> Bool) {
    if isSilent { return cut(at: frame, where: isChosen) }
    let shape = shape.length < ramp.length ? ramp : shape
    for index in underWay.indices where isChosen(underWay[index]) { underWay[index].leave(at: frame, over: shape) }
  }

  private mutating func retime(from turn: MusicPlan.Turn) {
    lines[lines.count - 1].current = turn
    retime()
    lines[lines.count - 1].current = nil
  }

  /// Where `next` or `previous` leads from here, that many steps on; nil where there is nothing.
  func target(steps: Int) -> Target? {
    guard let entry = (line.current ?? line.next)?.entry, !plan.tracks.isEmpty else { return stageTarget(steps: steps) }
    let index = entry.index + steps
    if plan.tracks.indices.contains(index) { return .track(index, pass: entry.pass) }
    if index < 0, 0 < entry.pass { return .track(plan.tracks.count - 1, pass: entry.pass - 1) }
    return stageTarget(steps: steps < 0 ? -1 : 1)
  }

  func stageTarget(steps: Int) -> Target? {
    let next = stage + steps
    if programme.stages.indices.contains(next) { return .stage(next) }
    return 0 < steps ? .end : nil
  }

  enum Target: Sendable, Hashable, Codable {
    case track(Int, pass: Int)
    case stage(Int)
    /// Behind the last stage.
    case end
  }

  /// The track under way, or entered at this very frame, and the frame of it that sounds; nil in silence.
  func position(at frame: FrameTime) -> (turn: MusicPlan.Turn, position: FrameCount)? {
    let entered = line.next.flatMap { $0.enters == frame ? $0 : nil }
    guard let turn = line.current ?? entered else { return nil }
    let position = frame - turn.at
    return position < plan.tracks[turn.entry.index].length ? (turn, position) : nil
  }

  private mutating func cut(at frame: FrameTime, where isChosen: (Placement) -> Bool) {
    for index in underWay.indices where isChosen(underWay[index]) {
      underWay[index].length = min(underWay[index].length, frame - underWay[index].at)
    }
    underWay.removeAll { frame <= $0.begin && isChosen($0) }
  }

  /// What is chosen falls silent, to be taken up later.
  mutating func setAside(at frame: FrameTime, where isChosen: (Placement) -> Bool) {
    for index in underWay.indices where isChosen(underWay[index]) { underWay[index].isSetAside = true }
    leave(at: frame, over: ramp, where: isChosen)
  }

  /// What was set aside goes on where it was, that much later.
  mutating func takeUp(_ placements: [Placement], later shift: FrameCount, at frame: FrameTime) {
    if shift == 0 {
      // Nobody has heard that it was away.
      let serials = Set(placements.map(\.serial))
      underWay.removeAll { serials.contains($0.serial) }
      underWay += placements
      return
    }
    for var placement in placements.map({ $0.shifted(by: shift) }) {
      placement.enters = frame
      placement.isTakenUp = true
      placement.ramp = .rising(at: frame, over: ramp.length, .sCurve)
      underWay.append(placement)
    }
  }
}
