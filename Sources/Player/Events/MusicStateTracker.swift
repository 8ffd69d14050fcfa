import Engine
import Schedule
import Signal

/// Derives the player's state and its music events from the clips that are playing.
///
/// Between edits, these are the clips that the mixer reported as started and not as ended. An edit replaces them with
/// the clips of the edited schedule. After each change, `refresh` compares the clips with the last reported state and
/// returns the events of the difference. `PlayerStateMachine` validates each state. Used on the control thread.
struct MusicStateTracker: Sendable {
  /// A pause of the music, together with the session or separately.
  struct Pause: Sendable {
    /// The frame of the command. Positions and progress are reported for this frame.
    var at: FrameTime
    /// The state before the pause.
    var before: PlayerState.Kind
  }

  private var machine = PlayerStateMachine()
  /// The last transition that the state machine refused. A refusal is a defect of this type.
  private(set) var refusal: RefusedTransition?
  private var tracks: PlayingTracks
  /// The crossfade as it was last reported.
  private(set) var crossfade: ReportedCrossfade?
  /// The planned fade-out at the session's end, once its last stage has begun; nil if there is none.
  var fadeOut: Fade?
  /// The fade-out with which a command ends the session.
  private var closing: Fade?
  /// The fade of the last reported state `fadingOut`.
  private var reportedFade: Fade?
  private(set) var pause: Pause?
  /// The frame at which the last track ended, while it is unknown whether another one begins in the same frame;
  /// otherwise `.endless`.
  private var silence: FrameTime = .endless
  /// The last frame whose clips were compared with the reported state.
  private var refreshed: FrameTime = .min
  /// Frames between two progress events of a crossfade.
  private var progressStep: FrameCount
  /// The last frame whose notes had all been processed when the clips were compared with the reported state.
  private var settled: FrameTime = .min

  init(rate: SampleRate) {
    progressStep = max(1, rate.frames(0.1))
    tracks = PlayingTracks(rate: rate)
  }

  private var rate: SampleRate { tracks.rate }
  var state: PlayerState { machine.state }

  /// Progress of the running or paused crossfade at a frame, 0…1; nil if there is none.
  func progress(at frame: FrameTime) -> Double? {
    pause == nil ? crossfade.map { max(state.progress ?? 0, $0.fade.progress(at: frame)) } : state.progress
  }

  /// The current track, and the position in it in seconds.
  func current(at frame: FrameTime) -> (clip: Clip, seconds: Double)? {
    (tracks.current ?? tracks.announced).map { ($0.clip, shownPosition(in: $0.clip, at: frame)) }
  }

  /// The identifier of the current track, or of the announced one if none plays yet.
  var currentID: Int? { (tracks.current ?? tracks.announced)?.track.id }

  /// The `position` event of a frame.
  func position(at frame: FrameTime, isSecond: Bool) -> PlayerEvent {
    let current = tracks.current
    return .position(
      track: current?.track.title, position: current.map { shownPosition(in: $0.clip, at: frame) },
      duration: current?.track.duration, isSecond: isSecond)
  }

  /// The frame of the next event that does not depend on a report; `.endless` during a pause.
  var nextFrame: FrameTime {
    guard pause == nil, closing == nil else { return .endless }
    let trackFade = trackFadeOut?.start ?? .endless
    let ends = [fadeOut?.start, fadeOut?.end].compactMap(\.self).filter { refreshed < $0 }
    return min(
      crossfade?.nextProgress ?? .endless, silence, ends.min() ?? .endless, settled < trackFade ? trackFade : .endless)
  }

  /// The frame at which the running crossfade ends; `.endless` if there is none or it is paused.
  var completionFrame: FrameTime { pause == nil ? crossfade?.fade.end ?? .endless : .endless }

  /// Reports the progress of crossfades ten times a second, or only once.
  ///
  /// - Parameter frame: all events before it have been emitted.
  mutating func reportProgress(inTenths isFine: Bool, from frame: FrameTime) {
    let step = max(1, rate.frames(isFine ? 0.1 : 1))
    if step < progressStep { crossfade?.advanceProgress(to: frame, every: step, insteadOf: progressStep) }
    progressStep = step
  }

  // MARK: Between edits

  /// Handles the load of the session's first track. Later loads don't change the state.
  mutating func prepare(_ clip: Clip) -> [PlayerEvent] {
    guard case .idle = state else { return [] }
    return become(.preparing(track: tracks.announce(clip)))
  }

  /// Handles the start of a clip.
  ///
  /// - Parameter isFromEarlierStage: whether the clip belongs to an earlier stage. It becomes the current track only if
  ///   nothing else plays.
  mutating func start(_ clip: Clip, at now: FrameTime, isFromEarlierStage: Bool = false) -> [PlayerEvent] {
    silence = .endless
    if tracks.update(clip) { return tracks.report(clip) }
    // During a pause the clips come from the schedule, not from reports.
    if pause != nil { return [] }
    if tracks.replace(by: clip, at: now) { return refresh(at: now) }
    let isAlone = !tracks.isAnyPlaying(at: now)
    if isFromEarlierStage, !isAlone {
      tracks.add(clip, isCurrent: false)
      return tracks.report(clip)
    }
    let ended = cutCrossfade(at: now)
    tracks.add(clip, isCurrent: true)
    return ended + tracks.report(clip) + refresh(at: now)
  }

  /// Handles the end of a clip.
  mutating func end(_ clip: Clip, at now: FrameTime) -> [PlayerEvent] {
    if pause != nil { return [] }
    tracks.remove(clip)
    if tracks.isEmpty { silence = now }
    return tracks.isEmpty || crossfade != nil ? [] : refresh(at: now)
  }

  /// Emits the events that are due at `nextFrame`.
  mutating func advance(to now: FrameTime) -> [PlayerEvent] {
    if silence <= now {
      silence = .endless
      tracks.withdraw()
    }
    settled = now
    return refresh(at: now)
  }

  /// Reports silence if the first stages have no music. Otherwise the end of the last track has reported it.
  mutating func startSilence() -> [PlayerEvent] {
    guard state.kind == .idle || state.kind == .preparing else { return [] }
    tracks.withdraw()
    return become(.playing(track: nil))
  }

  /// Handles the end of a stage while the music is paused separately: the first track of the next stage, if it has
  /// one, waits at its beginning.
  mutating func leavePausedStage(for next: Clip?) -> [PlayerEvent] {
    guard let pause else { return [] }
    tracks.removeAll()
    if let next { tracks.add(next, isCurrent: true) }
    let left: [PlayerEvent] = crossfade.take() == nil ? [] : [.crossfadeCancelled]
    return left + become(paused(at: pause.at))
  }

  // MARK: Edits

  /// Handles an edit of the schedule.
  ///
  /// - Parameters:
  ///   - clips: the music that plays at the edit's frame, or that waits there; the current track is last.
  ///   - isPaused: whether the music is paused after the edit.
  ///   - strategy: how a paused crossfade continues; nil to use the strategy that was reported at the pause.
  ///   - age: seconds of the clock by which a paused crossfade becomes stale.
  mutating func replace(
    by clips: [Clip], isPaused: Bool, at frame: FrameTime, resuming strategy: ResumeStrategy?, age: Double
  ) -> [PlayerEvent] {
    // Without a pause, a new track is reported when the mixer starts it.
    tracks.replan(clips, at: frame, isPaused: pause != nil, includesNew: isPaused || pause != nil)
    if tracks.isEmpty, state.kind != .idle, state.kind != .preparing { silence = frame }
    switch (pause, isPaused) {
    case (nil, true): return beginPause(at: frame, age: age)
    case (.some(let pause), false):
      self.pause = nil
      return endPause(pause, at: frame, by: strategy)
    case (.some, true): return refreshPaused()
    case (nil, false): return refresh(at: frame)
    }
  }

  /// Handles a command that ends the session with a fade of `length` frames.
  mutating func finish(at frame: FrameTime, over length: FrameCount) -> [PlayerEvent] {
    // A pause that lasts until here is one of the music alone, which is not heard again.
    if pause != nil { tracks.removeAll() }
    pause = nil
    closing = .falling(at: frame, over: length, .linear)
    return refresh(at: frame)
  }

  /// Reports that the output has ended, with the session or because of `failure`.
  mutating func conclude(_ failure: SinkError?) -> [PlayerEvent] {
    let left: [PlayerEvent] = crossfade.take() == nil ? [] : [.crossfadeCancelled]
    guard let failure else { return left + become(.finished) }
    return left + become(.failed(.outputFailed(failure)))
  }

  /// The position of the current track in seconds. After a seek during a pause it is the position at which the track
  /// resumes.
  private func shownPosition(in clip: Clip, at frame: FrameTime) -> Double {
    tracks.position(in: clip, at: max(pause?.at ?? frame, clip.begin))
  }

  /// Reports that a command is opening the track of a crossfade.
  mutating func prepareCrossfade(to clip: Clip) -> [PlayerEvent] {
    guard case .playing(let current?) = state, tracks.current.map({ !clip.isSameTrack(as: $0.clip) }) ?? true
    else { return [] }
    return become(.preparingCrossfade(current: current, next: tracks.announce(clip)))
  }

  /// The event of a crossfade that can't begin, because its track was not open in time; nil for other failures, and for a
  /// sound that does not fade in.
  func timeout(of clip: Clip, _ failure: LoadError) -> PlayerEvent? {
    guard case .timedOut(let seconds) = failure, clip.layer == .music, clip.fadeIn != nil else { return nil }
    return .crossfadeTimeout(
      from: tracks.current?.track.title, to: clip.title, milliseconds: 1_000 * seconds)
  }

  /// Reports that the prepared crossfade will not happen: its track can't be opened, or its command was cancelled.
  mutating func abandonCrossfade() -> [PlayerEvent] {
    guard case .preparingCrossfade(let current, _) = state else { return [] }
    tracks.withdraw()
    return become(.playing(track: current))
  }
}

// MARK: The state

extension MusicStateTracker {
  /// Emits the difference between the clips at a frame and the last reported state.
  mutating func refresh(at now: FrameTime) -> [PlayerEvent] {
    refreshed = now
    settled = max(settled, now - 1)
    let derived = derivedCrossfade(at: now)
    let isSame = derived.map { new in crossfade?.to.track.id == new.to.track.id } ?? false
    let ended = isSame ? [] : endCrossfade(at: now)
    guard var new = derived else { return ended + become(stateWithoutCrossfade(at: now)) }
    defer { crossfade = new }
    if isSame, now < new.nextProgress { return [] }
    new.nextProgress = min(now + progressStep, new.fade.end)
    // A replaced fade continues from the nearest whole frame, where its progress can be slightly smaller. Reported
    // progress never decreases.
    let progress = max(isSame ? state.progress ?? 0 : 0, new.fade.progress(at: now))
    let crossfading = PlayerState.crossfading(from: new.from.track, to: new.to.track, progress: progress)
    return ended + [isSame ? .crossfadeProgress(progress) : new.startEvent(at: rate)]
      + become(crossfading, isStep: isSame)
  }

  /// The crossfade at a frame: the current track fades in while another one fades out. If the outgoing track ends
  /// first, the crossfade lasts as long as the fade-in.
  private func derivedCrossfade(at now: FrameTime) -> ReportedCrossfade? {
    guard fadingOutNow(at: now) == nil, let to = tracks.current, let fade = to.clip.fadeIn, fade.from < fade.to,
      fade.start <= now, now < fade.end
    else { return nil }
    if let reported = crossfade.flatMap({ updated($0) }) { return reported }
    // A fade-in from silence is not a crossfade.
    guard let from = tracks.fadingOut(at: now) else { return nil }
    return ReportedCrossfade(from: from, to: to, fade: fade, nextProgress: now)
  }

  /// A reported crossfade with the current times of the schedule; nil if its incoming track is no longer the current
  /// one.
  private func updated(_ old: ReportedCrossfade) -> ReportedCrossfade? {
    guard let to = tracks.current, to.clip.id.firstPart == old.to.clip.id.firstPart, let fade = to.clip.fadeIn,
      fade.from < fade.to
    else { return nil }
    return ReportedCrossfade(
      from: tracks.first(old.from.track.id) ?? old.from, to: to, fade: fade,
      nextProgress: min(old.nextProgress, fade.end))
  }

  /// Ends the reported crossfade: it is complete if its fade has ended, and cancelled otherwise.
  private mutating func endCrossfade(at now: FrameTime) -> [PlayerEvent] {
    guard let old = crossfade.take() else { return [] }
    return [old.fade.end <= now ? .crossfadeCompleted : .crossfadeCancelled]
  }

  /// The fade-out that has started by `now`: of a command, of the session, or of the current track, in this order.
  /// In the first frame of a track's fade-out, another track may still begin, which makes it a crossfade.
  private func fadingOutNow(at now: FrameTime) -> Fade? {
    let trackFadeOut = trackFadeOut.flatMap { $0.start < now || $0.start == now && settled == now ? $0 : nil }
    return closing ?? fadeOut.flatMap { $0.start <= now && now < $0.end ? $0 : nil } ?? trackFadeOut
  }

  /// The fade with which the current track ends at the end of its stage. A ramp of 20 ms only prevents a click, and is
  /// not reported.
  private var trackFadeOut: Fade? {
    tracks.current?.clip.leave.flatMap { $0.to == 0 && rate.frames(0.02) < $0.length ? $0 : nil }
  }

  private mutating func stateWithoutCrossfade(at now: FrameTime) -> PlayerState {
    let current = tracks.current?.track
    if let fade = fadingOutNow(at: now) {
      let new = PlayerState.fadingOut(track: current, duration: rate.seconds(max(0, fade.end - max(now, fade.start))))
      // A running fade-out is reported again only when the track or the fade changes.
      defer { reportedFade = fade }
      guard case .fadingOut(let track, _) = state, track?.id == current?.id || current == nil else { return new }
      return fade == reportedFade ? state : new
    }
    if case .preparingCrossfade(let leaving, _) = state, leaving.id == current?.id { return state }
    if let current { return .playing(track: current) }
    // Silence is reported only after the frame in which the last track ended, because another track may begin in it.
    let isUndecided = silence == now || [.idle, .preparing].contains(state.kind)
    return isUndecided ? state : .playing(track: nil)
  }

  /// Ends the current crossfade, because another track begins before it is complete.
  private mutating func cutCrossfade(at now: FrameTime) -> [PlayerEvent] {
    guard let incoming = crossfade?.to.track else { return [] }
    return endCrossfade(at: now) + (state.kind == .fadingOut ? [] : become(.playing(track: incoming)))
  }

  /// Applies a state and returns its event, unless the state machine refuses it or it has been reported.
  ///
  /// - Parameter isStep: whether a state that is near the last reported one is reported, too.
  private mutating func become(_ new: PlayerState, isStep: Bool = false) -> [PlayerEvent] {
    if let refused = machine.apply(new) { refusal = refused }
    return machine.takeChange(evenIfNear: isStep).map { [.state(state, previous: $0.name)] } ?? []
  }
}

// MARK: Pauses

extension MusicStateTracker {
  /// Pauses the music at `frame`. A crossfade that is running or begins within the ramp into the pause is kept.
  private mutating func beginPause(at frame: FrameTime, age: Double) -> [PlayerEvent] {
    guard state.isAudible || state.kind == .preparing else { return [] }
    pause = Pause(at: frame, before: state.kind)
    // Includes a track that begins within the ramp into the pause.
    var events = tracks.reportAll() + updateCrossfade()
    if crossfade == nil, let new = beginning(at: frame) {
      crossfade = new
      events.append(new.startEvent(at: rate))
      events += become(.crossfading(from: new.from.track, to: new.to.track, progress: 0))
    }
    guard let crossfade, let snapshot = crossfade.snapshot(of: tracks, at: frame, age: age) else {
      return events + endCrossfade(at: frame) + become(paused(at: frame))
    }
    let progress = max(state.progress ?? 0, crossfade.fade.progress(at: frame))
    let strategy = ResumeStrategy(progress: progress)
    events.append(.crossfadePaused(progress: progress, strategy))
    return events
      + become(
        .crossfadePaused(
          from: crossfade.from.track, to: crossfade.to.track, progress: progress, strategy: strategy,
          snapshot: snapshot))
  }

  /// The crossfade that begins within the ramp into the pause.
  private func beginning(at frame: FrameTime) -> ReportedCrossfade? {
    guard let to = tracks.current, let fade = to.clip.fadeIn, frame <= fade.start, let from = tracks.previous else {
      return nil
    }
    return ReportedCrossfade(from: from, to: to, fade: fade, nextProgress: fade.start)
  }

  private func paused(at frame: FrameTime) -> PlayerState {
    guard let current = tracks.current else { return .paused(track: nil, position: 0) }
    return .paused(
      track: current.track, position: tracks.position(in: current.clip, at: max(frame, current.clip.begin)))
  }

  /// Handles an edit during a pause, which may have changed the position or the waiting music.
  private mutating func refreshPaused() -> [PlayerEvent] {
    guard let pause else { return [] }
    let left = updateCrossfade()
    return left + (crossfade == nil && state.kind != .preparing ? become(paused(at: pause.at)) : [])
  }

  /// Updates the reported crossfade from the edited schedule, or cancels it if its incoming track is no longer the
  /// current one.
  private mutating func updateCrossfade() -> [PlayerEvent] {
    guard let old = crossfade else { return [] }
    crossfade = updated(old)
    return crossfade == nil ? [.crossfadeCancelled] : []
  }

  /// Resumes the music at `frame`. A paused crossfade continues from its progress.
  private mutating func endPause(_ pause: Pause, at frame: FrameTime, by strategy: ResumeStrategy?) -> [PlayerEvent] {
    let left = updateCrossfade()
    if var resumed = crossfade, case .crossfadePaused(let from, let to, let progress, let stored, let snapshot) = state
    {
      let strategy = strategy ?? stored
      resumed.nextProgress = min(max(frame, resumed.nextProgress), resumed.fade.end)
      crossfade = resumed
      let emitted = become(
        .crossfadePaused(from: from, to: to, progress: progress, strategy: strategy, snapshot: snapshot))
      return emitted + [.crossfadeResumed(progress: progress, strategy)]
        + become(.crossfading(from: from, to: to, progress: progress))
    }
    if pause.before == .preparing, tracks.current?.isReported != true,
      let track = (tracks.current ?? tracks.announced)?.track
    {
      return left + become(.preparing(track: track))
    }
    return left + refresh(at: frame)
  }
}
