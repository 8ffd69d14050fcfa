import Signal

/// Every navigation is one transition: the current clips fade out from a frame on, and another clip starts there.
extension Schedule {
  /// Goes to a track of the current stage, `position` frames after its beginning.
  ///
  /// - Parameter shape: the crossfade; nil for the shortest ramp that prevents a click.
  mutating func enter(track index: Int, pass: Int, position: FrameCount, at frame: FrameTime, over shape: FadeShape?) {
    let shape = isUnheard ? .none : shape.map { crossfade($0, into: plan.tracks[index]) } ?? .none
    leaveMusic(at: frame, over: shape)
    var trackPlay = MusicPlan.TrackPlay(
      entry: PlaylistEntry(index: index, pass: pass, overlap: shape.length), at: frame - position)
    trackPlay.entryFrame = frame
    trackPlay.ramp = ramp.length
    // Never the fade-in of the stage, whichever track it is.
    trackPlay.arrival = shape
    begin(MusicLine(move: line.move + 1, stage: stage, plan: plan, trackPlay: trackPlay), at: frame)
    layOutAnew(at: frame)
  }

  /// Goes to a stage, `position` frames after its beginning.
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
    var trackPlay = position == 0 ? layout.music.first : layout.music.trackPlay(at: frame)
    trackPlay?.entryFrame = frame
    trackPlay?.ramp = ramp.length
    trackPlay?.ordinal = 0
    if 0 < shape.length { trackPlay?.arrival = shape }
    self.begin(MusicLine(move: line.move + 1, stage: next, plan: layout.music, trackPlay: trackPlay), at: frame)
    layOutAnew(at: frame)
  }

  /// Sets the current music. If the music is paused separately, it stays paused at its new position.
  private mutating func begin(_ line: MusicLine, at frame: FrameTime) {
    self.line = line
    if pausedMusic != nil { pausedMusic = PausedMusic(at: frame, line: line) }
  }

  private var isUnheard: Bool { isSilent || pausedMusic != nil }

  /// Limits a crossfade to half of the incoming track, but not below the ramp that prevents a click.
  private func crossfade(_ shape: FadeShape, into track: Track) -> FadeShape {
    if shape.length == 0 { return .none }
    return FadeShape(
      length: max(
        CrossfadeOrchestrator.overlap(wanted: shape.length, incoming: track.length), min(ramp.length, track.length)),
      curve: shape.curve)
  }

  /// Fades the music out. In a running crossfade, `turnCrossfade` decides for each side; a side that already fades out
  /// keeps its fade.
  mutating func leaveMusic(at frame: FrameTime, over shape: FadeShape) {
    if ramp.length < shape.length { hearSought(at: frame) }
    gatherMusic(at: frame)
    let isGoing = turnCrossfade(at: frame)
    leave(at: frame, over: shape) { $0.layer == .music && !isGoing.contains($0.id) }
  }

  /// Moves every music clip that has begun to `tails` and ends all lines.
  mutating func gatherMusic(at frame: FrameTime) {
    if pausedMusic == nil, line.hasBegun, let trackPlay = line.trackPlay { tails.append(line.clip(of: trackPlay)) }
    for line in outgoing { if let trackPlay = line.trackPlay, line.hasBegun { tails.append(line.clip(of: trackPlay)) } }
    tails.removeAll { $0.end <= kept && $0.releaseEnd <= kept }
    outgoing = []
    line.trackPlay = nil
  }

  /// A track that the listener navigated into at this same frame fades out like a playing track. A track that was due
  /// to begin at its beginning is dropped without being heard.
  private mutating func hearSought(at frame: FrameTime) {
    guard pausedMusic == nil, !line.hasBegun, let trackPlay = line.trackPlay, trackPlay.entryFrame == frame,
      trackPlay.at < frame
    else {
      return
    }
    tails.append(line.clip(of: trackPlay))
  }

  /// Fades out the stage's overlays. Gongs play to their end.
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

  /// Fades out the matching tails with the shape, or with the ramp if that is longer. In a pause they end at once.
  mutating func leave(at frame: FrameTime, over shape: FadeShape, where isChosen: (Clip) -> Bool) {
    for index in tails.indices where isChosen(tails[index]) && frame < tails[index].end {
      if isSilent { tails[index].cut(at: frame) } else { tails[index].leave(at: frame, over: longer(shape)) }
    }
    tails.removeAll { $0.end <= $0.begin }
  }

  /// Prepares the end of the session: the current stage's music continues, but no later stage and no cue begins.
  mutating func wind(at frame: FrameTime) {
    lastCue = frame
    layouts = Array(layouts[...current])
  }
}

extension Clip {
  /// Ends the clip at `frame` without a fade.
  mutating func cut(at frame: FrameTime) { length = max(0, min(length, frame - at)) }
}
