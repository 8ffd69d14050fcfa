import Signal

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
