import Signal

/// Edits of future music, and the separate pause of the music.
extension Schedule {
  /// Changes the crossfade of this stage and all following ones; a running crossfade is not changed.
  ///
  /// - Throws: `noEffect` if all of them are like that already.
  mutating func setCrossfade(_ length: FrameCount?, _ curve: FadeCurve?, at frame: FrameTime) throws(EditError) {
    stageMusic.keepFadeIn()
    let before = programme.stages.map(\.crossfade)
    for index in stage..<programme.stages.count {
      if let length { programme.stages[index].crossfade.length = length }
      if let curve { programme.stages[index].crossfade.curve = curve }
    }
    if programme.stages.map(\.crossfade) == before { throw .noEffect("the crossfades are already like that") }
    updateLayouts(at: frame)
  }

  /// - Throws: `noEffect` if the stage already repeats like that.
  mutating func setRepetition(_ mode: RepeatMode, count: Int?, at frame: FrameTime) throws(EditError) {
    let playlist = programme.stages[stage].playlist
    if mode == playlist.repetition, count == playlist.repeatCount {
      throw .noEffect("the stage already repeats like that")
    }
    // Passes of the track and passes of the playlist are counted separately.
    if mode != playlist.repetition { stageMusic.trackPlay?.entry.pass = 0 }
    programme.stages[stage].playlist.repetition = mode
    programme.stages[stage].playlist.repeatCount = count
    let isOver = isMusicOver(at: frame)
    updateLayouts(at: frame)
    if isOver { continueAfterEnd(at: frame) }
  }

  /// Whether the last track has ended while the stage continues. A track that is added in the frame of its end follows
  /// it without a gap.
  func isMusicOver(at frame: FrameTime) -> Bool {
    guard let trackPlay = stageMusic.trackPlay else { return false }
    return stageMusic.hasBegun && stageMusic.clip(of: trackPlay).end < pausedMusic?.at ?? frame
  }

  /// Starts the track that now follows the last one, after an edit has added it.
  private mutating func continueAfterEnd(at frame: FrameTime) {
    guard let trackPlay = stageMusic.trackPlay, let (index, pass) = plan.playlist.entry(after: trackPlay.entry) else {
      return
    }
    enter(track: index, pass: pass, position: 0, at: frame, over: nil)
  }

  /// Changes the playlist of the current stage. The current track continues unless the change removes it.
  mutating func change(_ change: PlaylistChange, at frame: FrameTime) throws(EditError) {
    var playlist = programme.stages[stage].playlist
    let trackPlay = stageMusic.trackPlay
    let entry = trackPlay.map { playlist.tracks[$0.entry.index].id }
    let known = Set(playlist.tracks.map(\.id))
    switch change {
    case .replace(let tracks):
      if tracks.isEmpty { throw .emptyPlaylist }
      playlist.replace(with: tracks)
    case .append(let tracks): playlist.append(tracks)
    case .insert(let tracks, let index): try playlist.insert(tracks, at: index)
    case .remove(let index): try playlist.remove(at: index)
    case .move(let from, let to): try playlist.move(from: from, to: to)
    }
    if playlist.tracks.map(\.id) == programme.stages[stage].playlist.tracks.map(\.id) {
      throw .noEffect("the playlist is already like that")
    }
    let isOver = isMusicOver(at: frame)
    programme.stages[stage].playlist = playlist
    // In silence, the first track that the change has added begins.
    if trackPlay == nil, let first = playlist.opening(besides: known) {
      stageMusic.plan.playlist = playlist
      return enter(track: first, pass: 0, position: 0, at: frame, over: nil)
    }
    guard let trackPlay, let entry else { return updateLayouts(at: frame) }
    if let index = playlist.index(of: entry) {
      stageMusic.trackPlay?.entry.index = index
      updateLayouts(at: frame)
      return isOver ? continueAfterEnd(at: frame) : ()
    }
    try leaveRemoved(trackPlay, for: change, at: frame)
  }

  /// Handles the removal of the current entry: the entry after it begins.
  private mutating func leaveRemoved(
    _ trackPlay: MusicPlan.TrackPlay, for change: PlaylistChange, at frame: FrameTime
  ) throws(EditError) {
    let playlist = programme.stages[stage].playlist
    let old = plan
    let next: (index: Int, pass: Int)?
    if case .replace = change { next = (0, 0) } else { next = playlist.entry(afterRemoved: trackPlay.entry) }
    guard let next else { return leaveStage(at: frame, over: old.crossfade) }
    // The clips that fade out belong to the old playlist.
    moveMusicToTails(at: frame)
    stageMusic.plan.playlist = playlist
    enter(track: next.index, pass: next.pass, position: 0, at: frame, over: old.crossfade)
  }

  /// Ends the music of the stage, because no track follows. A stage that ends with its music ends, too.
  private mutating func leaveStage(at frame: FrameTime, over shape: FadeShape) {
    let isNatural = programme.stages[stage].duration == .natural
    if isNatural, programme.stages.indices.contains(stage + 1) {
      return enter(stage: stage + 1, position: 0, at: frame)
    }
    leaveMusic(at: frame, over: shape)
    if pausedMusic != nil { pausedMusic = PausedMusic(at: frame) }
    if isNatural { layouts[current].exactEnd = Double(frame + shape.length) }
    updateLayouts(at: frame)
  }

  /// Skips a track that failed to open. The track before it crossfades into the one after it, even if that track is an
  /// earlier play of the same entry.
  ///
  /// - Parameters:
  ///   - due: ordinal of the track play that failed; nil if none was due.
  ///   - pass: the only pass in which the track is skipped; nil for all.
  mutating func passOver(_ entry: Int, ofStage index: Int, due: Int?, pass: Int?, at frame: FrameTime) {
    guard programme.stages.indices.contains(index) else { return }
    programme.stages[index].playlist.passOver(entry, inPass: pass)
    let playlist = programme.stages[index].playlist
    for number in outgoing.indices where outgoing[number].stage == index { outgoing[number].plan.playlist = playlist }
    if let trackPlay = stageMusic.trackPlay, index == stage, trackPlay.ordinal == due,
      playlist.tracks[trackPlay.entry.index].id == entry
    {
      replace(trackPlay, in: playlist, at: frame)
    }
    updateLayouts(at: frame)
  }

  /// Starts the next track instead of the one that was due and can't be played.
  private mutating func replace(
    _ trackPlay: MusicPlan.TrackPlay, in playlist: PlaylistManager, at frame: FrameTime
  ) {
    let begin = max(trackPlay.begin, frame)
    guard let (index, pass) = playlist.entry(after: trackPlay.entry) else {
      stageMusic.trackPlay = nil
      if programme.stages[stage].duration == .natural { layouts[current].exactEnd = Double(begin) }
      return
    }
    stageMusic.trackPlay?.entry = PlaylistEntry(index: index, pass: pass, overlap: trackPlay.entry.overlap)
    stageMusic.trackPlay?.playback = nil
    // If playback begins in the middle of a track that can't be opened, the next one takes its place and is in its
    // middle, too, unless it is too short. If the failure is found late, or after a seek or a pause within the track,
    // the next one starts now, at its beginning.
    let isPlanned = plan.trackPlay(at: trackPlay.begin).map { $0.at == trackPlay.at } ?? false
    let isLong = begin - trackPlay.at < playlist.tracks[index].length
    if isPlanned, isLong, frame <= max(trackPlay.begin, start) { return }
    stageMusic.trackPlay?.begin(at: begin)
    stageMusic.trackPlay?.entryFrame = nil
    stageMusic.trackPlay?.fadeIn = nil
    stageMusic.trackPlay?.part = 0
    stageMusic.hasBegun = false
  }

  /// Pauses the music only. Overlays, gongs and the session clock continue.
  mutating func pauseMusic(at frame: FrameTime) throws(EditError) {
    guard pausedMusic == nil else { throw .noEffect("the music is already paused") }
    let playing = tails.filter { $0.layer == .music && !$0.isPaused && frame < $0.end }
    pausedMusic = PausedMusic(at: frame, outgoing: outgoing, tails: playing)
    for stageMusic in outgoing + [stageMusic] {
      // A track that begins at this frame waits at its beginning.
      if let clip = stageMusic.current(at: frame), clip.begin < frame { tails.append(clip) }
    }
    outgoing = []
    for index in tails.indices where tails[index].layer == .music && frame < tails[index].end {
      tails[index].isPaused = true
    }
    leave(at: frame, over: ramp) { $0.layer == .music }
    updateLayouts(at: frame)
  }

  /// Resumes the music where it was paused. All later music, and the end of a stage that ends with its music, move by
  /// the length of the pause.
  mutating func resumeMusic(at frame: FrameTime, by strategy: ResumeStrategy?) throws(EditError) {
    guard let paused = pausedMusic else { throw .noEffect("the music is not paused") }
    pausedMusic = nil
    let shift = frame - paused.at
    if shift == 0 {
      // The pause had no length, so its fade-outs are removed.
      tails.removeAll { $0.layer == .music && $0.isPaused }
    }
    tails += paused.tails.map { $0.continued(at: frame, later: shift, ramp: ramp.length) }
    outgoing = paused.outgoing.map { stageMusic in
      var stageMusic = stageMusic.continued(at: frame, later: shift, ramp: ramp.length)
      stageMusic.plan.ending?.fade.start += shift
      return stageMusic
    }
    stageMusic = stageMusic.continued(at: frame, later: shift, ramp: ramp.length)
    updateLayouts(at: frame)
    if let strategy { resumeCrossfade(at: frame, by: strategy) }
  }
}

/// Changes to a running or paused crossfade.
extension Schedule {
  private var orchestrator: CrossfadeOrchestrator { CrossfadeOrchestrator(rate: rate) }

  /// Resumes a paused crossfade. Unless the strategy shortens the rest of both sides, nothing changes.
  mutating func resumeCrossfade(at frame: FrameTime, by strategy: ResumeStrategy) {
    guard strategy == .quickFinish, pausedMusic == nil, let trackPlay = stageMusic.trackPlay,
      let fade = stageMusic.clip(of: trackPlay).fadeIn, fade.isRising(at: frame)
    else { return }
    let length = orchestrator.quickFinish
    let leaving = tails.indices.filter { tails[$0].layer == .music && tails[$0].isFadingOut(at: frame) }
    let ending = outgoing.indices.filter { outgoing[$0].isFadingOut(at: frame) }
    if leaving.isEmpty && ending.isEmpty { return }
    stageMusic.trackPlay?.fadeIn = fade.shortened(at: frame, over: length)
    for index in leaving { tails[index].changeFadeOuts(at: frame) { $0.shortened(at: frame, over: length) } }
    for index in ending { outgoing[index].shortenEnding(at: frame, over: length) }
  }

  /// Redirects a running crossfade when the listener navigates: it is rolled back, finished quickly, or left to finish.
  /// Its clips are in `tails`.
  ///
  /// - Returns: identifiers of the clips that fade out without a further fade.
  mutating func redirectCrossfade(at frame: FrameTime) -> Set<ClipID> {
    guard !isSilent else { return [] }
    let music = tails.indices.filter { tails[$0].layer == .music && tails[$0].begin < frame && frame < tails[$0].end }
      .sorted { (tails[$0].begin, tails[$0].id.ordinal) < (tails[$1].begin, tails[$1].id.ordinal) }
    guard let incoming = music.last(where: { tails[$0].fadeIn?.isRising(at: frame) ?? false }),
      let fade = tails[incoming].fadeIn
    else { return [] }
    let outgoing = music.filter { $0 != incoming && tails[$0].isFadingOut(at: frame) }
    if outgoing.isEmpty { return [] }
    let orchestrator = orchestrator
    let navigation = orchestrator.navigation(progress: fade.progress(at: frame))
    let redirected = { (fade: Fade) in orchestrator.redirected(fade, at: frame, by: navigation) }
    tails[incoming].fadeIn = redirected(fade)
    for index in outgoing { tails[index].changeFadeOuts(at: frame, redirected) }
    // The new target fades out the incoming track; the outgoing ones already fade out.
    if navigation != .rollBack { return Set(outgoing.map { tails[$0].id }) }
    // After the rollback the incoming track is silent.
    tails[incoming].length = min(tails[incoming].length, frame + orchestrator.redirection - tails[incoming].at)
    return [tails[incoming].id]
  }
}

extension Fade {
  fileprivate func isRising(at frame: FrameTime) -> Bool { start < frame && frame < end && from < to }
}
