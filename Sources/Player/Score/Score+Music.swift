import Signal

/// What a listener changes of the music that is to come, and the music paused alone.
extension Score {
  /// Of this stage and the following ones.
  mutating func setCrossfade(length: FrameCount?, curve: FadeCurve?) {
    for index in stage..<programme.stages.count {
      if let length { programme.stages[index].music.crossfade.length = length }
      if let curve { programme.stages[index].music.crossfade.curve = curve }
    }
    resume(from: line.current)
  }

  mutating func setRepetition(_ mode: RepeatMode, count: Int?) {
    programme.stages[stage].music.repetition = mode
    programme.stages[stage].music.repeatCount = count
    resume(from: line.current)
  }

  /// A track has failed to open when its turn came: it is passed over from now on, and what fades into it fades into the
  /// one behind it.
  mutating func passOver(_ entry: PlaylistEntry, ofStage stage: Int) {
    guard programme.stages.indices.contains(stage),
      programme.stages[stage].music.tracks.indices.contains(entry.index)
    else { return }
    programme.stages[stage].music.tracks[entry.index].isUnplayable = true
    for place in lines.indices where lines[place].stage == stage { passOver(entry, inLine: place) }
    retime()
  }

  private mutating func passOver(_ entry: PlaylistEntry, inLine place: Int) {
    let plan = programme.stages[lines[place].stage].music
    if let current = lines[place].current {
      lines[place].next = plan.successor(of: current)
      if place == lines.count - 1 { reshape(current) }
    } else if let next = lines[place].next, next.entry.index == entry.index {
      lines[place].next = plan.entry(after: entry).map { index, pass in
        var turn = next
        turn.entry = PlaylistEntry(index: index, pass: pass, overlap: 0)
        return turn
      }
    }
  }

  /// Changes the playlist under the track that sounds.
  ///
  /// - Parameter current: where that track is in the new list; nil when it is not in it any more.
  mutating func setTracks(_ tracks: [Track], current: Int?) {
    programme.stages[stage].music.tracks = tracks.map { track in
      var track = track
      track.number = nil
      return track
    }
    guard let current, let turn = line.current ?? line.next else { return }
    let isUnderWay = line.current != nil
    var moved = turn
    moved.entry.index = current
    if isUnderWay { resume(from: moved) } else { lines[lines.count - 1].next = moved }
  }

  /// The turn under way goes on under the plan as it is now.
  private mutating func resume(from turn: MusicPlan.Turn?) {
    guard let turn else { return }
    lines[lines.count - 1].current = turn
    lines[lines.count - 1].next = plan.successor(of: turn)
    reshape(turn)
    retime()
  }

  /// Its own end may have changed: it fades into another one, or into none.
  private mutating func reshape(_ turn: MusicPlan.Turn) {
    let now = plan.placement(of: turn, in: stage)
    for index in underWay.indices where underWay[index].isAlignedWith(now) && !underWay[index].isSetAside {
      guard underWay[index].fadeOut.map({ from <= $0.start }) ?? true else { continue }
      underWay[index].fadeOut = now.fadeOut
      underWay[index].length = now.length
      underWay[index].leave = now.leave
      underWay[index].entry = now.entry
    }
  }

  /// The music stands still where it is; overlays, gongs and the clock go on.
  mutating func pauseMusic(at frame: FrameTime) {
    guard pausedMusic == nil else { return }
    let music = underWay.filter { $0.layer == .music && $0.stage == stage }
    pausedMusic = PausedMusic(at: frame, underWay: music, line: line)
    setAside(at: frame) { $0.layer == .music }
  }

  /// The music goes on where it stood, that much later; where the stage ends by itself it ends that much later.
  mutating func resumeMusic(at frame: FrameTime) {
    guard let paused = pausedMusic else { return }
    pausedMusic = nil
    let shift = frame - paused.at
    var line = paused.line
    line.next = line.next?.shifted(by: shift)
    line.current = line.current?.shifted(by: shift)
    takeUp(paused.underWay, later: shift, at: frame)
    lines = [line]
    if let turn = line.current { reshape(turn) }
    retime()
  }
}
