package import Signal

/// The session file is read again.
extension Schedule {
  /// Replaces what is still to come by the session as its file is now; the current stage, recognised by its name, goes on
  /// at its position. In a replay, restores what an earlier run has made of that.
  ///
  /// - Throws: `stageGone` if the file has no such stage any more, `noEffect` if it has not changed.
  mutating func reload(_ reload: Reload, at frame: FrameTime) throws(EditError) {
    guard let update = reload.update else { return try restore(reload, at: frame) }
    let name = programme.stages[stage].name
    guard let index = update.new.stages.firstIndex(where: { $0.name == name }) else { throw .stageGone(name: name) }
    if update.new.isLike(update.old) { throw .noEffect("the session file has not changed") }
    let cues = playing(at: frame).filter { $0.layer != .music && $0.begin < frame }
    settleEarlierStages(at: frame)
    let old = programme
    var new = update.new
    if !hasSessionCues { (new.overlays, new.gongs) = ([], []) }
    new.keepIDs(of: old, next: &nextCue)
    new.keepChanges(of: old, to: update.old)
    // If the stage is already longer than the file says, it ends now, with the music that plays.
    if case .frames(let length) = new.stages[index].duration, layout.exactBegin + length <= Double(frame) {
      new.stages[index].playlist = old.stages[stage].playlist
    }
    programme = new
    if index != stage { renumber(to: index) }
    continueMusic(after: old.stage(named: name)?.playlist, at: frame)
    keep(cues, at: frame)
  }

  /// Keeps the cues of earlier stages that can still be heard as they are, and the strikes of their gongs that follow the
  /// end of their stage.
  private mutating func settleEarlierStages(at frame: FrameTime) {
    let earlier = Set(layouts[..<current].map(\.stage))
    let strikes = series.filter { $0.span.stage.map(earlier.contains) ?? false }
    let last = strikes.compactMap { $0.lastStrike?.begin }.max() ?? frame
    for clip in clips(from: kept) {
      if max(frame, last + 1) <= clip.begin { break }
      guard case .cue = clip.id.origin, let stage = clip.stage, earlier.contains(stage),
        clip.begin < frame || clip.layer == .effect,
        !tails.contains(where: { $0.id == clip.id })
      else { continue }
      tails.append(clip)
    }
    layouts.removeFirst(current)
    current = 0
  }

  /// Gives the current stage another index, because the file has more or fewer stages before it. That is a new visit.
  private mutating func renumber(to index: Int) {
    overlays.renumber(visit: visit, to: visit + 1, ofStage: index)
    effects.renumber(visit: visit, to: visit + 1, ofStage: index)
    visit += 1
    stageMusic.stage = index
    layouts[current].stage = index
  }

  /// Continues the current track if it is in the new playlist at the same index, and otherwise crossfades into what the
  /// new playlist has at the position in the stage.
  ///
  /// - Parameter old: the playlist before.
  private mutating func continueMusic(after old: PlaylistManager?, at frame: FrameTime) {
    stageMusic.keepFadeIn()
    let playlist = programme.stages[stage].playlist
    guard let old, !playlist.isSame(as: old) else { return updateLayouts(at: frame) }
    guard let entry = stageMusic.trackPlay?.entry, !isMusicOver(at: frame), playlist.continues(entry, of: old) else {
      return enterPlannedMusic(at: frame)
    }
    if playlist.repetition != old.repetition { stageMusic.trackPlay?.entry.pass = 0 }
    updateLayouts(at: frame)
  }

  /// Crossfades into the music that is planned for this position of the stage.
  private mutating func enterPlannedMusic(at frame: FrameTime) {
    let plan = programme.layOut(from: stage, at: layout.exactBegin)[0].music
    var trackPlay = plan.trackPlay(at: frame)
    if let planned = trackPlay, plan.end(of: planned) <= frame { trackPlay = nil }
    let rest = programme.fixedLength(from: stage) - Double(frame) + layout.exactBegin
    let shape =
      isUnheard ? .none : crossfade(plan.crossfade, into: trackPlay.map { plan.tracks[$0.entry.index] }, within: rest)
    leaveMusic(at: frame, over: shape)
    trackPlay?.entryFrame = frame
    trackPlay?.ramp = ramp.length
    trackPlay?.ordinal = 0
    trackPlay?.requestedFadeIn = shape
    begin(StageMusic(move: stageMusic.move + 1, stage: stage, plan: plan, trackPlay: trackPlay), at: frame)
    updateLayouts(at: frame)
  }

  /// Lets gongs ring out, and fades out overlays, that the new session does not have.
  private mutating func keep(_ cues: [Clip], at frame: FrameTime) {
    let names = Set(playing(at: frame).map(\.id))
    let gone = cues.filter { !names.contains($0.id) }
    // Those of a stage that has another index go on under other identities.
    let continued = Set(playing(at: frame).filter { $0.begin < frame }.map(\.source))
    for var clip in gone where clip.stage == nil || clip.stage == stage || !continued.contains(clip.source) {
      if clip.layer == .overlay {
        let length = CrossfadeOrchestrator(rate: rate).quickFinish
        isSilent ? clip.cut(at: frame) : clip.leave(at: frame, over: FadeShape(length: length, curve: ramp.curve))
      }
      if frame < clip.end { tails.append(clip) }
    }
  }
}

/// What a journal keeps of a session whose file was read again.
extension Schedule {
  /// The journal of this schedule, which was reloaded at `frame`: it restores the current stage in the session as its file
  /// is now, then what commands have done to its overlays and gongs, and then the music.
  ///
  /// - Parameters:
  ///   - old: the journal before the reload; nil if there is none.
  ///   - edited: the frame from which the schedule has changed, see `Journal.Entry`.
  package func journal(
    after old: Journal?, of written: Programme, _ volumes: Volumes, at frame: FrameTime, edited: FrameTime
  ) -> Journal {
    let begin = min(frame, max(0, from, layout.begin))
    let name = programme.stages[stage].name
    let restored = Reload(stage: name, begin: layout.exactBegin, changes: written.changes(in: programme))
    var journal = Journal(stage: stage, start: begin, volumes: volumes)
    journal.add(Journal.Entry(.edit(.reload(restored), resuming: nil), at: begin, isSilent: true))
    for entry in old?.entries ?? [] where begin <= entry.at && entry.isOfCues { journal.add(entry) }
    let continued = Reload(stage: name, begin: layout.exactBegin, music: music(at: frame))
    journal.add(Journal.Entry(.edit(.reload(continued), resuming: nil), at: frame, edited: edited, isSilent: true))
    if pausedMusic != nil { journal.add(Journal.Entry(.edit(.pauseMusic, resuming: nil), at: frame, edited: edited)) }
    return journal
  }

  private func music(at frame: FrameTime) -> Reload.MusicPosition {
    // While the music is paused, it waits at the frame of the pause.
    let shift = pausedMusic.map { frame - $0.at } ?? 0
    guard let trackPlay = stageMusic.trackPlay else { return .silent }
    return .playing(
      Reload.Play(
        index: trackPlay.entry.index, pass: trackPlay.entry.pass, ordinal: trackPlay.ordinal,
        overlap: trackPlay.entry.overlap, at: trackPlay.at + shift, fraction: trackPlay.exactAt.fraction.frames,
        entryFrame: trackPlay.entryFrame.map { $0 + shift }, fadeIn: trackPlay.requestedFadeIn))
  }

  /// Restores what a journal has kept of a reload.
  private mutating func restore(_ reload: Reload, at frame: FrameTime) throws(EditError) {
    guard let index = programme.stages.firstIndex(where: { $0.name == reload.stage }),
      reload.changes.allSatisfy({ programme.stages.indices.contains($0.stage) })
    else { throw .stageGone(name: reload.stage) }
    switch reload.music {
    case .planned:
      for change in reload.changes { programme.make(change) }
      enter(stage: index, position: frame - FrameTime(nearest: reload.begin), beginning: reload.begin, at: frame)
    case .silent:
      stageMusic.trackPlay = nil
      tails.removeAll { $0.layer == .music }
      updateLayouts(at: frame)
    case .playing(let play):
      guard plan.tracks.indices.contains(play.index), stage == index else { throw .noActiveTrack }
      tails.removeAll { $0.layer == .music }
      outgoing = []
      stageMusic.trackPlay = MusicPlan.TrackPlay(play)
      stageMusic.hasBegun = play.at < frame
      updateLayouts(at: frame)
    }
  }
}

extension MusicPlan.TrackPlay {
  fileprivate init(_ play: Reload.Play) {
    let entry = PlaylistEntry(index: play.index, pass: play.pass, overlap: play.overlap)
    let at = ExactFrames(play.at)
    self.init(entry: entry, exactly: at.adding(ExactFrames(nearest: play.fraction)) ?? at)
    (ordinal, entryFrame, requestedFadeIn) = (play.ordinal, play.entryFrame, play.fadeIn)
  }
}
