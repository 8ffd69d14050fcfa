import Signal

/// Every navigation is one transition: what sounds leaves at a frame, and something else is entered there.
extension Schedule {
  /// Enters a track of the stage under way, `position` frames behind its beginning.
  ///
  /// - Parameter shape: of the crossfade; nil for none, which is the shortest one that doesn't click.
  mutating func enter(track index: Int, pass: Int, position: FrameCount, at frame: FrameTime, over shape: FadeShape?) {
    let shape = isUnheard ? .none : shape.map { crossfade($0, into: plan.tracks[index]) } ?? .none
    leaveMusic(at: frame, over: shape)
    var turn = MusicPlan.Turn(
      entry: PlaylistEntry(index: index, pass: pass, overlap: shape.length), at: frame - position)
    turn.enters = frame
    turn.ramp = ramp.length
    // Not the fade of the stage's beginning, whichever track it is.
    turn.arrival = shape
    begin(MusicLine(move: line.move + 1, stage: stage, plan: plan, turn: turn), at: frame)
    layOutAnew(at: frame)
  }

  /// Enters a stage, `position` frames behind its beginning.
  mutating func enter(stage next: Int, position: FrameCount, at frame: FrameTime, isCrossfaded: Bool) {
    let entrance = programme.stages[next].crossfade
    let first = programme.stages[next].playlist.tracks.first
    let isCrossfaded = isCrossfaded && !isUnheard
    let shape = isCrossfaded ? first.map { crossfade(entrance, into: $0) } ?? entrance : .none
    leaveMusic(at: frame, over: shape)
    leaveCues(at: frame, over: shape)
    let begin = Double(frame - position)
    layouts = programme.layOut(from: next, at: begin)
    (current, visit, from) = (0, visit + 1, frame)
    var turn = position == 0 ? layout.music.first : layout.music.turn(at: frame)
    turn?.enters = frame
    turn?.ramp = ramp.length
    turn?.ordinal = 0
    if 0 < shape.length { turn?.arrival = shape }
    self.begin(MusicLine(move: line.move + 1, stage: next, plan: layout.music, turn: turn), at: frame)
    layOutAnew(at: frame)
  }

  /// Music that the listener has paused waits where it is sent.
  private mutating func begin(_ line: MusicLine, at frame: FrameTime) {
    self.line = line
    if pausedMusic != nil { pausedMusic = PausedMusic(at: frame, line: line) }
  }

  private var isUnheard: Bool { isSilent || pausedMusic != nil }

  /// A crossfade longer than half of the incoming track is shortened to that; none is shorter than what doesn't click.
  private func crossfade(_ shape: FadeShape, into track: Track) -> FadeShape {
    if shape.length == 0 { return .none }
    return FadeShape(
      length: max(min(shape.length, track.length / 2), min(ramp.length, track.length)), curve: shape.curve)
  }

  /// The music leaves under the fade. Of a crossfade under way the one side leaves as the next one asks for, the other
  /// is on its way out and goes on with it.
  mutating func leaveMusic(at frame: FrameTime, over shape: FadeShape) {
    if ramp.length < shape.length { hearSought(at: frame) }
    gatherMusic(at: frame)
    let isGoing = turnCrossfade(at: frame)
    leave(at: frame, over: shape) { $0.layer == .music && !isGoing.contains($0.id) }
  }

  /// Every clip of music that has begun stands in `tails`, and no line continues.
  mutating func gatherMusic(at frame: FrameTime) {
    if pausedMusic == nil, line.hasBegun, let turn = line.turn { tails.append(line.clip(of: turn)) }
    for line in outgoing { if let turn = line.turn, line.hasBegun { tails.append(line.clip(of: turn)) } }
    tails.removeAll { $0.end <= kept && $0.releaseEnd <= kept }
    outgoing = []
    line.turn = nil
  }

  /// What was sought in the middle of a track at this very frame leaves like a track that sounds; what was to begin there
  /// is never heard.
  private mutating func hearSought(at frame: FrameTime) {
    guard pausedMusic == nil, !line.hasBegun, let turn = line.turn, turn.enters == frame, turn.at < frame else {
      return
    }
    tails.append(line.clip(of: turn))
  }

  /// What sounds of the stage's own cues leaves it: overlays under the fade, gongs ring out.
  private mutating func leaveCues(at frame: FrameTime, over shape: FadeShape) {
    for clip in clips(from: kept) {
      if frame <= clip.begin { break }
      guard case .cue(visit, _, _, _) = clip.id.origin, !tails.contains(where: { $0.id == clip.id }) else { continue }
      var clip = clip
      if clip.layer == .overlay, frame < clip.end {
        isSilent ? clip.cut(at: frame) : clip.leave(at: frame, over: longer(shape))
      }
      tails.append(clip)
    }
    overlays.leave(visit: visit)
    effects.leave(visit: visit, at: frame)
  }

  private func longer(_ shape: FadeShape) -> FadeShape { shape.length < ramp.length ? ramp : shape }

  /// What is chosen ends under the fade, or under the shortest one that doesn't click; in a pause at once.
  mutating func leave(at frame: FrameTime, over shape: FadeShape, where isChosen: (Clip) -> Bool) {
    for index in tails.indices where isChosen(tails[index]) && frame < tails[index].end {
      if isSilent { tails[index].cut(at: frame) } else { tails[index].leave(at: frame, over: longer(shape)) }
    }
    tails.removeAll { $0.end <= $0.begin }
  }

  /// Brings the session to its end: nothing but the stage's music goes on.
  mutating func wind(at frame: FrameTime) {
    lastCue = frame
    layouts = Array(layouts[...current])
  }
}

extension Clip {
  /// Ends at a frame, at once.
  mutating func cut(at frame: FrameTime) { length = max(0, min(length, frame - at)) }
}
