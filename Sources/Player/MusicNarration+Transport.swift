import Engine
import Schedule
import Signal

/// What the listener does to the music, as the story tells it.
extension MusicNarration {
  /// What it takes to go on.
  struct Pause: Sendable {
    var at: FrameTime
    var before: PlayerState
    /// Where the tracks were, by their identity: what is where it was moves on by the length of the pause, what has been
    /// replanned meanwhile does not.
    var places: [Int: FrameTime]
    var fade: Fade?
    /// What has ended since: in the ramp that leads into the pause.
    var ended: [Clip] = []
  }

  /// - Parameter age: seconds of the clock by which a paused crossfade grows stale.
  mutating func pause(at frame: FrameTime, age: Double = 0) -> [PlayerEvent] {
    guard pause == nil, state.isAudible || state.kind == .preparing else { return [] }
    let before = state
    let told = crossfade.map { freeze($0, at: frame, age: age) } ?? become(paused(at: frame))
    guard state.canResume else { return told }
    let places = sounding.map { ($0.track.id, $0.clip.at) }
    pause = Pause(
      at: frame, before: before, places: Dictionary(places) { first, _ in first }, fade: crossfade?.fade ?? fadingOut)
    return told
  }

  /// The stage under way ends while the music alone is paused: what stood still is gone, and the next stage's music waits.
  mutating func leavePaused() -> [PlayerEvent] {
    guard pause != nil, !sounding.isEmpty else { return [] }
    sounding = []
    return breakCrossfade() + become(.paused(track: nil, position: 0))
  }

  private func paused(at frame: FrameTime) -> PlayerState {
    guard let current = sounding.last else { return .paused(track: state.currentTrack, position: 0) }
    return .paused(track: current.track, position: position(in: current.clip, at: frame))
  }

  private mutating func freeze(_ crossfade: Crossfade, at frame: FrameTime, age: Double) -> [PlayerEvent] {
    let progress = max(state.progress ?? 0, crossfade.fade.progress(at: frame))
    guard let snapshot = snapshot(of: crossfade, at: frame, age: age) else { return [] }
    let strategy = ResumeStrategy(progress: progress)
    let paused = PlayerState.crossfadePaused(
      from: crossfade.from.track, to: crossfade.to.track, progress: progress, strategy: strategy, snapshot: snapshot)
    return [.crossfadePaused(progress: progress, strategy)] + become(paused)
  }

  /// Nil for a crossfade that never was: none takes no time, and none begins before its tracks.
  private func snapshot(of crossfade: Crossfade, at frame: FrameTime, age: Double) -> CrossfadePauseSnapshot? {
    let (from, to) = (crossfade.from.clip, crossfade.to.clip)
    return try? CrossfadePauseSnapshot(
      activeVolume: min(1, from.fadeGain(at: frame)), inactiveVolume: min(1, to.fadeGain(at: frame)),
      activePosition: position(in: from, at: frame), inactivePosition: position(in: to, at: frame),
      originalDuration: rate.seconds(crossfade.fade.length), curve: crossfade.fade.curve, taken: age)
  }

  /// The music goes on at `frame`.
  ///
  /// - Parameter shift: how much later it is than it was to be; 0 where the session's clock stood still with it.
  mutating func resume(at frame: FrameTime, shift frames: FrameCount? = nil, age: Double = 0) -> [PlayerEvent] {
    guard let pause else { return [] }
    self.pause = nil
    let later = frames ?? frame - pause.at
    // What ends while the music alone is paused has only fallen silent.
    if later == 0 { drop(pause.ended) }
    shift(by: later, from: pause)
    nextProgress = max(nextProgress, frame)
    switch state {
    case .crossfadePaused: return resumeCrossfade(age: age)
    case .paused(let track, _):
      if sounding.isEmpty, track != nil { silence = frame }
      return become(following(pause.before, track: track, at: frame))
    default: return []
    }
  }

  private mutating func drop(_ ended: [Clip]) {
    sounding.removeAll { old in ended.contains { $0.isSamePlaying(as: old.clip) } }
  }

  private func following(_ before: PlayerState, track: TrackInfo?, at frame: FrameTime) -> PlayerState {
    switch before {
    case .fadingOut:
      if let fade = fadingOut ?? plannedFadeOut, fade.start <= frame {
        .fadingOut(track: track, duration: rate.seconds(max(0, fade.end - frame)))
      } else {
        .playing(track: track)
      }
    case .preparing: track.map { .preparing(track: $0) } ?? .playing(track: nil)
    default: .playing(track: track)
    }
  }

  private mutating func resumeCrossfade(age: Double) -> [PlayerEvent] {
    guard case .crossfadePaused(let from, let to, let progress, let stored, let snapshot) = state else { return [] }
    let crossfading = PlayerState.crossfading(from: from, to: to, progress: progress)
    // It was undone in the pause: what sounds is one track.
    guard crossfade != nil else { return become(crossfading) + become(.playing(track: sounding.last?.track ?? from)) }
    let strategy = snapshot.isStale(at: age) ? .quickFinish : stored
    let told = become(.crossfadePaused(from: from, to: to, progress: progress, strategy: strategy, snapshot: snapshot))
    return told + [.crossfadeResumed(progress: progress, strategy)] + become(crossfading)
  }

  private mutating func shift(by frames: FrameCount, from pause: Pause) {
    for index in sounding.indices where sounding[index].clip.at == pause.places[sounding[index].track.id] {
      sounding[index].clip.at += frames
    }
    if fadingOut == pause.fade { fadingOut?.start += frames }
    if let fade = plannedFadeOut, fade.start < pause.at + frames { delay(fade, to: pause.at + frames) }
    guard let fade = crossfade?.fade else { return }
    if fade == pause.fade { crossfade?.fade.start += frames }
    nextProgress = min(nextProgress + frames, crossfade?.fade.end ?? .endless)
  }

  /// It was to begin while the music was paused.
  private mutating func delay(_ fade: Fade, to frame: FrameTime) {
    plannedFadeOut = .falling(at: frame, over: max(0, fade.end - frame), fade.curve)
  }

  /// The listener has asked for the end: the music fades out from `frame` on.
  mutating func finish(at frame: FrameTime, over length: FrameCount) -> [PlayerEvent] {
    plannedFadeOut = nil
    pause = nil
    return enter(.falling(at: frame, over: length, .linear))
  }

  /// The plan has changed from `frame` on: what was planned there is not to be told, and what begins there is no longer
  /// beneath the fade-out under way. A crossfade that sounds goes on.
  mutating func forget(from frame: FrameTime) {
    if let fade = plannedFadeOut, frame <= fade.start { plannedFadeOut = nil }
    if let fade = fadingOut, frame < fade.end { fadingOut = nil }
  }

  /// The output is done: with the session, or for good.
  mutating func conclude(_ failure: SinkError?) -> [PlayerEvent] {
    let left = breakCrossfade()
    guard let failure else { return left + become(.finished) }
    return left + become(.failed(error: .outputFailed(failure), recoverable: failure.isRecoverable))
  }
}
