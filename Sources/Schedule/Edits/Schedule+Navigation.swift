package import Signal
package import Sounds

/// Navigation commands.
extension Schedule {
  /// Applies that many steps of `next`; negative for `previous`.
  ///
  /// - Throws: `noNextTrack` or `noPreviousTrack` if there is no target, or none within the stage.
  mutating func step(by steps: Int, isWithinStage: Bool, at frame: FrameTime) throws(EditError) {
    let refusal = steps < 0 ? EditError.noPreviousTrack : .noNextTrack
    guard !isOver(by: frame), let target = target(steps: steps) else { throw refusal }
    if isWithinStage, case .stage = target { throw refusal }
    go(to: target, at: frame)
  }

  /// Goes to a target with the crossfade of the stage that contains it.
  private mutating func go(to target: Target, at frame: FrameTime) {
    switch target {
    case .track(let index, let pass): enter(track: index, pass: pass, position: 0, at: frame, over: plan.crossfade)
    case .stage(let next): enter(stage: next, position: 0, at: frame)
    }
  }

  /// Goes to a track of the current stage.
  ///
  /// - Parameter index: the index in the playlist as the session file lists it.
  mutating func jump(to index: Int, at frame: FrameTime) throws(EditError) {
    // An entry that was removed as unplayable is skipped here as well.
    let position = plan.playlist.position(of: index)
    guard 0 <= index, let position else { throw .invalidPlaylistIndex(index: index, count: plan.tracks.count) }
    if isOver(by: frame) { throw .noActiveTrack }
    go(to: .track(position, pass: 0), at: frame)
  }

  /// Whether the last stage has ended at its planned time, so that only the last bells ring.
  package func isOver(by frame: FrameTime) -> Bool {
    programme.stages[stage].duration != .natural && current + 1 == layouts.count && layout.end ?? .endless <= frame
  }

  /// Seeks within the current track. A position after its end is `next`.
  mutating func seek(_ seek: Seek, at frame: FrameTime) throws(EditError) {
    guard !isOver(by: frame), let (trackPlay, now) = position(at: frame) else { throw .noActiveTrack }
    let wanted =
      switch seek {
      case .to(let seconds): rate.frames(seconds)
      // The limit is longer than any track, and keeps the sum from overflowing.
      case .by(let seconds): now + rate.frames(max(-1e9, min(1e9, seconds)))
      }
    let length = plan.tracks[trackPlay.entry.index].length
    if length <= wanted {
      guard let next = target(steps: 1) else { throw .endOfTrack(seconds: rate.seconds(length)) }
      return go(to: next, at: frame)
    }
    // During a crossfade, a seek ends the other track.
    if max(0, wanted) == now, music(at: frame).count < 2 {
      throw .noEffect("the track is already at that position")
    }
    enter(track: trackPlay.entry.index, pass: trackPlay.entry.pass, position: max(0, wanted), at: frame, over: nil)
  }

  /// Goes to the beginning of the stage that is that many stages later; negative for earlier.
  mutating func go(toStageBy steps: Int, at frame: FrameTime) throws(EditError) {
    let next = stage + steps
    guard programme.stages.indices.contains(next) else { throw steps < 0 ? .noPreviousTrack : .noNextTrack }
    enter(stage: next, position: 0, at: frame)
  }

  /// Goes to a stage.
  ///
  /// - Parameters:
  ///   - position: seconds since the beginning of the stage.
  ///   - frame: the session frame of the edit.
  /// - Throws: `noSuchStage`, or `noSuchPosition` if the position is outside the stage.
  mutating func go(toStage name: String, at position: Double, frame: FrameTime) throws(EditError) {
    guard let next = programme.stages.firstIndex(where: { $0.name == name }) else {
      throw .noSuchStage(name: name, known: programme.stages.map(\.name))
    }
    let frames = rate.frames(position)
    let whole = programme.layOut(from: next, at: 0)[0]
    guard 0 <= frames, frames < whole.end ?? .endless else {
      throw .noSuchPosition(stage: name, seconds: position)
    }
    enter(stage: next, position: frames, at: frame)
  }

  /// The current track, or the one that a navigation at this frame leads to, and the position in it in frames; nil in
  /// silence.
  func position(at frame: FrameTime) -> (trackPlay: MusicPlan.TrackPlay, position: FrameCount)? {
    let frame = pausedMusic?.at ?? frame
    guard let trackPlay = stageMusic.trackPlay, stageMusic.hasBegun || trackPlay.begin == frame,
      !stageMusic.isOver(by: frame)
    else { return nil }
    let position = frame - trackPlay.at
    return frame < plan.end(of: trackPlay) ? (trackPlay, position) : nil
  }

  /// The target of that many `next` (positive) or `previous` (negative) steps; nil if there is none.
  package func target(steps: Int) -> Target? {
    guard let entry = stageMusic.trackPlay?.entry, !plan.tracks.isEmpty else {
      return stageTarget(steps: steps.signum())
    }
    if let (index, pass) = plan.playlist.entry(steps: steps, from: entry) { return .track(index, pass: pass) }
    return stageTarget(steps: steps.signum())
  }

  /// Beyond the playlist, and in silence, any number of steps leads to the neighbouring stage.
  private func stageTarget(steps: Int) -> Target? {
    programme.stages.indices.contains(stage + steps) ? .stage(stage + steps) : nil
  }

  /// The stage of the target of `steps`; nil if there is no target.
  package func stage(steps: Int) -> Int? {
    switch target(steps: steps) {
    case .stage(let other): other
    case .track: stage
    case nil: nil
    }
  }

  /// The edits that skip the tracks of `source` in the stage of the target of `steps`, except the current track.
  ///
  /// - Parameter isTransient: whether only the target is skipped, and only in its pass.
  package func passingOver(_ source: SoundSource, steps: Int, isTransient: Bool = false) -> [Edit] {
    let stage = stage(steps: steps) ?? self.stage
    if isTransient, let (track, _, pass) = peek(steps: steps), track.source == source {
      return [.passOver(stage: stage, entry: track.id, pass: pass)]
    }
    let current = stage == self.stage ? stageMusic.trackPlay?.entry.index : nil
    let tracks = programme.stages[stage].playlist.tracks
    return tracks.indices.filter { $0 != current && tracks[$0].source == source && !tracks[$0].isUnplayable }
      .map { .passOver(stage: stage, entry: tracks[$0].id) }
  }

  /// The track that a number of steps would lead to, with its index and pass; nil if there is none.
  package func peek(steps: Int) -> (track: Track, index: Int, pass: Int)? {
    switch target(steps: steps) {
    case .track(let index, let pass): (plan.tracks[index], index, pass)
    case .stage(let stage):
      programme.stages[stage].playlist.opening.map { (programme.stages[stage].playlist.tracks[$0], $0, 0) }
    case nil: nil
    }
  }
}

/// The transition that every navigation makes: the current clips fade out from a frame on, and another clip starts
/// there.
extension Schedule {
  /// Goes to a track of the current stage, `position` frames after its beginning.
  ///
  /// - Parameter shape: the crossfade; nil for the shortest ramp that prevents a click.
  mutating func enter(track index: Int, pass: Int, position: FrameCount, at frame: FrameTime, over shape: FadeShape?) {
    let rest = programme.fixedLength(from: stage) - Double(frame) + layout.exactBegin
    let shape = isUnheard ? .none : shape.map { crossfade($0, into: plan.tracks[index], within: rest) } ?? .none
    let playbacks = shape.length == 0 ? playbacks(at: frame) : []
    leaveMusic(at: frame, over: shape)
    var trackPlay = MusicPlan.TrackPlay(
      entry: PlaylistEntry(index: index, pass: pass, overlap: shape.length), at: frame - position)
    trackPlay.entryFrame = frame
    trackPlay.ramp = ramp.length
    // Overrides the fade-in of the stage, even for its first track.
    trackPlay.requestedFadeIn = shape
    trackPlay.playback = playback(of: trackPlay, in: plan, stage: stage, among: playbacks)
    begin(StageMusic(move: stageMusic.move + 1, stage: stage, plan: plan, trackPlay: trackPlay), at: frame)
    updateLayouts(at: frame)
    enterSuccessors(at: frame)
  }

  /// Makes the last track that has begun by the target position the current one. The tracks before it fade out under
  /// it.
  private mutating func enterSuccessors(at frame: FrameTime) {
    while let trackPlay = stageMusic.trackPlay, var next = plan.successor(of: trackPlay), next.begin < frame {
      let leaving = stageMusic.clip(of: trackPlay)
      if pausedMusic == nil { tails.append(leaving) } else { pausedMusic?.tails.append(leaving) }
      next.entryFrame = frame
      next.ramp = ramp.length
      stageMusic.trackPlay = next
    }
  }

  /// Goes to a stage, `position` frames after its beginning.
  ///
  /// - Parameter beginning: the exact beginning of the stage; nil for the whole frame.
  mutating func enter(stage next: Int, position: FrameCount, beginning: Double? = nil, at frame: FrameTime) {
    let openingFade = programme.stages[next].crossfade
    let first = programme.stages[next].playlist.openingTrack
    let heard = crossfade(openingFade, into: first, within: programme.fixedLength(from: next) - Double(position))
    let shape = isUnheard ? .none : heard
    let playbacks = shape.length == 0 ? playbacks(at: frame) : []
    leaveMusic(at: frame, over: shape)
    leaveCues(at: frame, over: heard)
    let begin = beginning ?? Double(frame - position)
    layouts = programme.layOut(from: next, at: begin)
    (current, visit, from) = (0, visit + 1, frame)
    overlays.goBack(among: programme.overlays, in: spans[0], at: frame)
    effects.goBack(among: programme.gongs, in: spans[0], at: frame)
    var trackPlay = position == 0 ? layout.music.first : layout.music.trackPlay(at: frame)
    trackPlay?.entryFrame = frame
    trackPlay?.ramp = ramp.length
    trackPlay?.ordinal = 0
    if 0 < shape.length || 0 < position { trackPlay?.requestedFadeIn = shape }
    if let entered = trackPlay {
      trackPlay?.playback = playback(of: entered, in: layout.music, stage: next, among: playbacks)
    }
    self.begin(StageMusic(move: stageMusic.move + 1, stage: next, plan: layout.music, trackPlay: trackPlay), at: frame)
    updateLayouts(at: frame)
  }

  /// The music clips that play or wait at `frame`. A navigation without a crossfade to the track of one of them is a
  /// seek: the track stays the same playback.
  private func playbacks(at frame: FrameTime) -> [Clip] {
    let at = pausedMusic?.at ?? frame
    let music = (pausedMusic?.outgoing ?? outgoing) + [stageMusic]
    let left = (pausedMusic?.tails ?? tails).filter { $0.layer == .music && at < $0.end }
    return left + music.compactMap { $0.waiting(at: at) }
  }

  /// The playback of the same entry in the same pass; nil if there is none.
  private func playback(
    of trackPlay: MusicPlan.TrackPlay, in plan: MusicPlan, stage: Int, among playbacks: [Clip]
  ) -> TrackID? {
    let entry = plan.tracks[trackPlay.entry.index].id
    return playbacks.last { clip in
      guard case .track(_, _, entry) = clip.id.origin else { return false }
      return clip.stage == stage && clip.entry?.pass == trackPlay.entry.pass
    }?.trackID
  }

  /// Sets the current music. If the music is paused separately, it stays paused at its new position.
  mutating func begin(_ stageMusic: StageMusic, at frame: FrameTime) {
    self.stageMusic = stageMusic
    if pausedMusic != nil { pausedMusic = PausedMusic(at: frame) }
  }

  /// Whether the music is silent at the navigation, so that a crossfade would not be heard.
  var isUnheard: Bool { isSilent || pausedMusic != nil }

  /// Limits a crossfade to half of the incoming track, and to the frames that are left of the session, but not below
  /// the ramp that prevents a click.
  func crossfade(_ shape: FadeShape, into track: Track?, within rest: Double) -> FadeShape {
    if shape.length == 0 { return .none }
    let incoming = track?.length ?? .endless
    let length = min(
      CrossfadeOrchestrator.overlap(wanted: shape.length, incoming: incoming), FrameTime(nearest: max(0, rest)))
    return FadeShape(length: max(length, min(ramp.length, incoming)), curve: shape.curve)
  }

  /// Fades the music out. In a running crossfade, `redirectCrossfade` decides for each side. A side that already fades
  /// out keeps its fade.
  mutating func leaveMusic(at frame: FrameTime, over shape: FadeShape) {
    if ramp.length < shape.length {
      keepSoughtTrack(at: frame)
    } else {
      // A track into which another navigation of this frame has led is never heard.
      let (move, stage) = (stageMusic.move, stage)
      tails.removeAll { $0.isTrack(ofMove: move, stage: stage) && $0.entryFrame == frame }
    }
    moveMusicToTails(at: frame)
    let fadingOut = redirectCrossfade(at: frame)
    leave(at: frame, over: shape) { $0.layer == .music && !fadingOut.contains($0.id) }
  }

  /// Moves every music clip that has begun to `tails`, and removes all other music.
  mutating func moveMusicToTails(at frame: FrameTime) {
    if pausedMusic == nil, stageMusic.hasBegun, let trackPlay = stageMusic.trackPlay {
      tails.append(stageMusic.clip(of: trackPlay))
    }
    for stageMusic in outgoing {
      if let trackPlay = stageMusic.trackPlay, stageMusic.hasBegun { tails.append(stageMusic.clip(of: trackPlay)) }
    }
    tails.removeAll { $0.end <= kept && $0.releaseEnd <= kept }
    outgoing = []
    stageMusic.trackPlay = nil
  }

  /// Keeps a track that the listener sought into at this same frame: it fades out like a playing track. A track that
  /// was due to start from its beginning or to fade in is dropped and never heard.
  private mutating func keepSoughtTrack(at frame: FrameTime) {
    guard pausedMusic == nil, !stageMusic.hasBegun, let trackPlay = stageMusic.trackPlay, trackPlay.entryFrame == frame,
      trackPlay.at < frame, trackPlay.requestedFadeIn?.length ?? 0 == 0
    else {
      return
    }
    tails.append(stageMusic.clip(of: trackPlay))
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

  /// Fades out the matching tails with the shape, or with the ramp if that is longer. If the output is silent, they end
  /// at once.
  mutating func leave(at frame: FrameTime, over shape: FadeShape, where isChosen: (Clip) -> Bool) {
    for index in tails.indices where isChosen(tails[index]) && frame < tails[index].end {
      if isSilent { tails[index].cut(at: frame) } else { tails[index].leave(at: frame, over: longer(shape)) }
    }
    tails.removeAll { $0.end <= $0.begin }
  }

  /// Prepares the end of the session: the current stage's music continues, but no later stage and no cue begins.
  mutating func finish(at frame: FrameTime) {
    lastCue = min(lastCue, frame)
    layouts = Array(layouts[...current])
  }
}

extension Clip {
  /// Ends the clip at `frame` without a fade.
  mutating func cut(at frame: FrameTime) { length = max(0, min(length, frame - at)) }
}
