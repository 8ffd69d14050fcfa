import Signal

/// The player's state, derived from the music that plays, and the events that report it.
///
/// `Playhead` names the clips that begin and end; an edit replaces them by those of the edited schedule. After each
/// change, `refresh` compares the clips with the last state and returns the events of the difference. The table of
/// transitions validates each state.
struct MusicReport: Sendable {
  /// A pause of the music, together with the session or separately.
  private struct Pause: Sendable {
    /// The frame of the command. Positions and progress are those of this frame.
    var at: FrameTime
    /// The state before the pause.
    var before: PlayerState.Kind
  }

  /// A crossfade that has been reported.
  private struct Crossfade: Sendable {
    var from: Clip
    var to: Clip
    /// The fade-in of the incoming track; its length is that of the crossfade.
    var fade: Fade
    /// The frame of the next `crossfade.progress` event.
    var nextProgress: FrameTime
  }

  private let rate: SampleRate
  private var reported = ReportedState()
  /// The clips that play, the current one last. In a pause, those that continue after it.
  private var tracks: [Clip] = []
  /// A track whose state was reported before it plays: the session's first one, or the one that a command is opening.
  private var announced: Clip?
  /// The tracks of `tracks` whose `track` event has been returned.
  private var reportedTracks: Set<TrackID> = []
  private var crossfade: Crossfade?
  /// The planned fade-out at the session's end, once its last stage has begun; nil if there is none.
  var ending: Fade?
  /// The fade-out with which a command ends the session.
  private var closing: Fade?
  /// The fade of the last state `fadingOut`.
  private var reportedFade: Fade?
  private var pause: Pause?
  /// Frames between two progress events of a crossfade.
  private var progressStep: FrameCount
  /// The last frame in which everything that begins and ends is known.
  private var settled: FrameTime = .min
  /// A frame in which something has begun or ended and more may follow; otherwise `.endless`.
  private var unsettled: FrameTime = .endless

  init(rate: SampleRate) {
    self.rate = rate
    progressStep = max(1, rate.frames(0.1))
  }

  var state: PlayerState { reported.state }

  /// The last transition that the table refused. A refusal is a defect of this type.
  var refusal: RefusedTransition? { reported.refusal }

  /// The current track, or the announced one if none plays yet.
  var current: Clip? { tracks.last ?? announced }

  /// The frame at which the music was paused; nil if it is not paused.
  var pausedAt: FrameTime? { pause?.at }

  /// Progress of the running or paused crossfade at a frame, 0…1; nil if there is none.
  func progress(at frame: FrameTime) -> Double? {
    pause == nil ? crossfade.map { max(state.progress ?? 0, $0.fade.progress(at: frame)) } : state.progress
  }

  /// The position in the current track in seconds; nil without a track. After a seek during a pause it is the position
  /// at which the track resumes.
  func position(at frame: FrameTime) -> Double? { current.map { shownPosition(in: $0, at: frame) } }

  private func shownPosition(in clip: Clip, at frame: FrameTime) -> Double {
    position(in: clip, at: max(pause?.at ?? frame, clip.begin))
  }

  private func position(in clip: Clip, at frame: FrameTime) -> Double { max(0, rate.seconds(frame - clip.at)) }

  /// The track that plays at a frame, for its `position` event: title, position and length in seconds.
  func playing(at frame: FrameTime) -> (title: String, position: Double, duration: Double?)? {
    tracks.last.map { ($0.title, shownPosition(in: $0, at: frame), info($0).duration) }
  }

  /// The frame of the next event that does not depend on a beginning or an end; `.endless` during a pause.
  var nextFrame: FrameTime {
    guard pause == nil, closing == nil else { return .endless }
    var next = min(crossfade?.nextProgress ?? .endless, unsettled)
    for edge in [ending?.start, ending?.end, trackFadeOut?.start] {
      if let edge, settled < edge { next = min(next, edge) }
    }
    return next
  }

  /// The frame at which the running crossfade ends; `.endless` if there is none or it is paused.
  var completionFrame: FrameTime { pause == nil ? crossfade?.fade.end ?? .endless : .endless }

  /// Reports the progress of crossfades ten times a second, or only once.
  ///
  /// - Parameter frame: all events before it have been returned.
  mutating func reportProgress(inTenths isFine: Bool, from frame: FrameTime) {
    let step = max(1, rate.frames(isFine ? 0.1 : 1))
    defer { progressStep = step }
    guard step < progressStep, let next = crossfade?.nextProgress, frame < next else { return }
    // The first step at or after `frame` that is a multiple of `step` from the last one.
    crossfade?.nextProgress -= min(next - frame, progressStep - step) / step * step
  }
}

// MARK: Beginnings and ends

extension MusicReport {
  /// Handles the load of the session's first track. Later loads don't change the state.
  mutating func prepare(_ clip: Clip) -> [ScheduleEvent] {
    guard case .idle = state else { return [] }
    announced = clip
    return become(.preparing(track: info(clip)))
  }

  /// Handles the beginning of a clip.
  ///
  /// - Parameter isFromEarlierStage: whether the clip belongs to an earlier stage. It becomes the current track only if
  ///   nothing else plays.
  mutating func begin(_ clip: Clip, at now: FrameTime, isFromEarlierStage: Bool) -> [ScheduleEvent] {
    unsettled = now
    if let index = tracks.firstIndex(where: { $0.id.firstPart == clip.id.firstPart }) {
      tracks[index] = clip
      return report(clip)
    }
    // During a pause the clips are those of the schedule.
    if pause != nil { return [] }
    let last = tracks.lastIndex { now < $0.end }
    if let last, tracks[last].trackID == clip.trackID {
      tracks[last] = clip
      return refresh(at: now)
    }
    announced = nil
    if isFromEarlierStage, last != nil {
      tracks.insert(clip, at: 0)
      return report(clip)
    }
    let left = cutCrossfade(at: now) + leavePausedTrack(for: clip)
    tracks.append(clip)
    return left + report(clip) + refresh(at: now)
  }

  /// Handles the end of a clip.
  mutating func end(_ clip: Clip, at now: FrameTime) -> [ScheduleEvent] {
    if pause != nil { return [] }
    tracks.removeAll { $0.id == clip.id }
    unsettled = now
    return tracks.isEmpty || crossfade != nil ? [] : refresh(at: now)
  }

  /// Returns the events that are due at `completionFrame` or `nextFrame`.
  ///
  /// - Parameter isSettled: whether everything that begins or ends in this frame is known.
  mutating func advance(to now: FrameTime, isSettled: Bool) -> [ScheduleEvent] {
    if isSettled { (settled, unsettled) = (now, .endless) }
    if isSettled, tracks.isEmpty, !isWaiting { announced = nil }
    return refresh(at: now)
  }

  /// Whether nothing has been heard yet.
  private var isWaiting: Bool { state.kind == .idle || state.kind == .preparing }

  /// Reports silence if the first stages have no music. Otherwise the end of the last track has reported it.
  mutating func startSilence() -> [ScheduleEvent] {
    guard isWaiting else { return [] }
    announced = nil
    return become(.playing(track: nil))
  }

  /// Handles the end of a stage while the music is paused separately: the first track of the next stage, if it has
  /// one, waits at its beginning.
  mutating func leavePausedStage(for next: Clip?) -> [ScheduleEvent] {
    guard let pause else { return [] }
    tracks = next.map { [$0] } ?? []
    return drop() + become(paused(at: pause.at))
  }

  /// Music that was resumed where its track ends goes on with another one, as if that had waited in the pause.
  private mutating func leavePausedTrack(for clip: Clip) -> [ScheduleEvent] {
    guard case .paused(let track?, _) = state, track.id != clip.trackID else { return [] }
    return become(.paused(track: info(clip), position: 0))
  }

  private mutating func report(_ clip: Clip) -> [ScheduleEvent] {
    guard let id = clip.trackID, reportedTracks.insert(id).inserted else { return [] }
    reportedTracks.formIntersection(tracks.compactMap(\.trackID) + [id])
    let track = info(clip)
    return [.track(title: track.title, index: track.index, pass: track.pass, duration: track.duration)]
  }

  private func info(_ clip: Clip) -> TrackInfo {
    TrackInfo(clip, duration: clip.length == .endless ? nil : rate.seconds(clip.length))
  }
}

// MARK: Edits

extension MusicReport {
  /// Handles an edit of the schedule.
  ///
  /// - Parameters:
  ///   - clips: the music that plays at the edit's frame, or that waits there; the current track is last.
  ///   - shown: the frame up to which they are heard: `frame`, or the end of the ramp into a pause.
  ///   - isPaused: whether the music is paused after the edit.
  ///   - strategy: how a paused crossfade continues; nil to use the strategy that was reported at the pause.
  ///   - age: seconds of the clock by which a paused crossfade becomes stale.
  mutating func replace(
    by clips: [Clip], heardUpTo shown: FrameTime, isPaused: Bool, at frame: FrameTime,
    resuming strategy: ResumeStrategy?, age: Double
  ) -> [ScheduleEvent] {
    unsettled = frame
    // Without a pause, a new track is reported when it begins.
    let known = Set(tracks.map(\.trackID))
    let includesNew = isPaused || pause != nil
    tracks = clips.filter { includesNew || known.contains($0.trackID) }
    switch (pause, isPaused) {
    case (nil, true): return beginPause(at: frame, heardUpTo: shown, age: age)
    case (let pause?, false):
      self.pause = nil
      return endPause(pause, at: frame, by: strategy)
    case (let pause?, true): return updateCrossfade() + showPaused(at: pause.at)
    case (nil, false): return refresh(at: frame)
    }
  }

  /// Handles a command that ends the session with `fade`.
  mutating func finish(with fade: Fade) -> [ScheduleEvent] {
    // A pause that lasts until here is one of the music alone, which is not heard again.
    if pause != nil { tracks = [] }
    (pause, closing) = (nil, fade)
    return refresh(at: fade.start)
  }

  /// Handles the end of the output, with the session or because of `failure`.
  mutating func conclude(_ failure: PlayerError?) -> [ScheduleEvent] {
    drop() + become(failure.map { .failed($0) } ?? .finished)
  }

  /// Reports that a command is opening the track of a crossfade.
  mutating func prepareCrossfade(to clip: Clip) -> [ScheduleEvent] {
    guard case .playing(let current?) = state, current.id != clip.trackID else { return [] }
    announced = clip
    return become(.preparingCrossfade(current: current, next: info(clip)))
  }

  /// Reports that the prepared crossfade will not happen: its track can't be opened, or its command was cancelled.
  mutating func abandonCrossfade() -> [ScheduleEvent] {
    guard case .preparingCrossfade(let current, _) = state else { return [] }
    announced = nil
    return become(.playing(track: current))
  }
}

// MARK: Pauses

extension MusicReport {
  /// Pauses the music at `frame`. A crossfade that is running or begins within the ramp into the pause is kept.
  ///
  /// - Parameter shown: the end of the ramp; `frame` if the music alone is paused.
  private mutating func beginPause(at frame: FrameTime, heardUpTo shown: FrameTime, age: Double) -> [ScheduleEvent] {
    // After a resume at this same frame the state is still `paused`, in silence and if a track waited at its beginning.
    guard state.kind.isAudible || state.kind == .preparing || state.kind == .paused else { return [] }
    pause = Pause(at: frame, before: state.kind)
    // Includes a track that begins within the ramp into the pause, but none that waits at its beginning.
    var events: [ScheduleEvent] = []
    for clip in tracks where clip.begin < shown { events += report(clip) }
    events += updateCrossfade()
    if crossfade == nil, let new = beginning(at: frame) {
      events += start(new, at: frame)
      crossfade?.nextProgress = new.fade.start
    }
    guard let crossfade, 0 < crossfade.fade.length else {
      return events + endCrossfade(at: frame) + become(paused(at: frame))
    }
    let progress = max(state.progress ?? 0, crossfade.fade.progress(at: frame))
    let strategy = ResumeStrategy(progress: progress)
    let snapshot = CrossfadePauseSnapshot(
      activePosition: position(in: crossfade.from, at: frame), inactivePosition: position(in: crossfade.to, at: frame),
      taken: age)
    return events + [.crossfadePaused(progress: progress, strategy)]
      + become(
        .crossfadePaused(
          from: info(crossfade.from), to: info(crossfade.to), progress: progress, strategy: strategy,
          snapshot: snapshot))
  }

  /// The crossfade that begins within the ramp into the pause.
  private func beginning(at frame: FrameTime) -> Crossfade? {
    guard let to = tracks.last, let fade = to.fadeIn, frame <= fade.start, let from = tracks.dropLast().last else {
      return nil
    }
    return Crossfade(from: from, to: to, fade: fade, nextProgress: fade.start)
  }

  private func paused(at frame: FrameTime) -> PlayerState {
    guard let current = tracks.last else { return .paused(track: nil, position: 0) }
    return .paused(track: info(current), position: position(in: current, at: max(frame, current.begin)))
  }

  /// Reports what an edit in the pause that began at `frame` has changed: the position, or the music that waits.
  private mutating func showPaused(at frame: FrameTime) -> [ScheduleEvent] {
    crossfade == nil && state.kind != .preparing ? become(paused(at: frame)) : []
  }

  /// Updates the crossfade from the edited schedule, or cancels it if its incoming track is no longer the current one.
  private mutating func updateCrossfade() -> [ScheduleEvent] {
    guard let old = crossfade else { return [] }
    crossfade = updated(old)
    return crossfade == nil ? [.crossfadeCancelled] : []
  }

  /// Resumes the music at `frame`. A paused crossfade continues from its progress.
  private mutating func endPause(_ pause: Pause, at frame: FrameTime, by strategy: ResumeStrategy?) -> [ScheduleEvent] {
    let left = updateCrossfade()
    if var resumed = crossfade, case .crossfadePaused(let from, let to, let progress, let stored, let snapshot) = state
    {
      let strategy = strategy ?? stored
      resumed.nextProgress = min(max(frame, resumed.nextProgress), resumed.fade.end)
      crossfade = resumed
      let rewritten = become(
        .crossfadePaused(from: from, to: to, progress: progress, strategy: strategy, snapshot: snapshot))
      return left + rewritten + [.crossfadeResumed(progress: progress, strategy)]
        + become(.crossfading(from: from, to: to, progress: progress))
    }
    if pause.before == .preparing, let current, !reportedTracks.contains(where: { $0 == current.trackID }) {
      return left + become(.preparing(track: info(current)))
    }
    // An edit that resumes the music may also have chosen another track, or have left a crossfade.
    let isOther = tracks.last.map { $0.trackID != state.currentTrack?.id } ?? false || state.kind == .crossfadePaused
    return left + (isOther ? showPaused(at: pause.at) : []) + refresh(at: frame)
  }
}

// MARK: The state

extension MusicReport {
  /// Returns the events of the difference between the clips at a frame and the last state.
  private mutating func refresh(at now: FrameTime) -> [ScheduleEvent] {
    let derived = derivedCrossfade(at: now)
    guard var new = derived, new.to.trackID == crossfade?.to.trackID else {
      let ended = endCrossfade(at: now)
      return ended + (derived.map { start($0, at: now) } ?? become(stateWithoutCrossfade(at: now)))
    }
    defer { crossfade = new }
    if now < new.nextProgress { return [] }
    new.nextProgress = min(now + progressStep, new.fade.end)
    // A replaced fade continues from the nearest whole frame, where its progress can be slightly smaller. Reported progress
    // never decreases.
    let progress = max(state.progress ?? 0, new.fade.progress(at: now))
    return [.crossfadeProgress(progress)]
      + become(.crossfading(from: info(new.from), to: info(new.to), progress: progress), isStep: true)
  }

  private mutating func start(_ new: Crossfade, at now: FrameTime) -> [ScheduleEvent] {
    crossfade = new
    crossfade?.nextProgress = min(max(now, new.fade.start) + progressStep, new.fade.end)
    let (from, to) = (info(new.from), info(new.to))
    return [.crossfadeStarted(from: from.title, to: to.title, duration: rate.seconds(new.fade.length))]
      + become(.crossfading(from: from, to: to, progress: new.fade.progress(at: now)))
  }

  /// The crossfade at a frame: the current track fades in while another one fades out. If the outgoing track ends
  /// first, the crossfade lasts as long as the fade-in.
  private func derivedCrossfade(at now: FrameTime) -> Crossfade? {
    guard fadeOut(at: now) == nil, let to = tracks.last, let fade = to.fadeIn, fade.from < fade.to, fade.start <= now,
      now < fade.end
    else { return nil }
    if let running = crossfade.flatMap({ updated($0) }) { return running }
    // A fade-in from silence is not a crossfade.
    let from = tracks.last { $0.trackID != to.trackID && $0.isFadingOut(at: now) && now < $0.end }
    return from.map { Crossfade(from: $0, to: to, fade: fade, nextProgress: now) }
  }

  /// A crossfade with the current times of the schedule; nil if its incoming track is no longer the current one.
  private func updated(_ old: Crossfade) -> Crossfade? {
    guard let to = tracks.last, to.trackID == old.to.trackID, let fade = to.fadeIn, fade.from < fade.to else {
      return nil
    }
    let from = tracks.first { $0.trackID == old.from.trackID } ?? old.from
    return Crossfade(from: from, to: to, fade: fade, nextProgress: min(old.nextProgress, fade.end))
  }

  /// Ends the crossfade: it is complete if its fade has ended, and cancelled otherwise.
  private mutating func endCrossfade(at now: FrameTime) -> [ScheduleEvent] {
    guard let old = crossfade.take() else { return [] }
    return [old.fade.end <= now ? .crossfadeCompleted : .crossfadeCancelled]
  }

  /// Cancels the crossfade, if there is one.
  private mutating func drop() -> [ScheduleEvent] { crossfade.take() == nil ? [] : [.crossfadeCancelled] }

  /// Ends the current crossfade, because another track begins before it is complete. One that a navigation lets finish
  /// is heard to its end, and counts as complete.
  private mutating func cutCrossfade(at now: FrameTime) -> [ScheduleEvent] {
    guard let old = crossfade else { return [] }
    let isKept = tracks.contains { $0.trackID == old.to.trackID && $0.fadeIn == old.fade }
    let navigation = CrossfadeOrchestrator(rate: rate).navigation(progress: old.fade.progress(at: now))
    let isFinished = isKept && navigation == .letFinish
    let ended = endCrossfade(at: isFinished ? old.fade.end : now)
    return ended + (state.kind == .fadingOut ? [] : become(.playing(track: info(old.to))))
  }

  /// The fade-out that has started by `now`: of a command, of the session, or of the current track, in this order.
  /// In the first frame of a track's fade-out, another track may still begin, which makes it a crossfade.
  private func fadeOut(at now: FrameTime) -> Fade? {
    let trackFadeOut = trackFadeOut.flatMap { $0.start < now || $0.start == now && settled == now ? $0 : nil }
    return closing ?? ending.flatMap { $0.start <= now && now < $0.end ? $0 : nil } ?? trackFadeOut
  }

  /// The fade with which the current track ends at the end of its stage. A ramp of 20 ms only prevents a click, and is
  /// not reported.
  private var trackFadeOut: Fade? {
    tracks.last?.leave.flatMap { $0.to == 0 && rate.frames(0.02) < $0.length ? $0 : nil }
  }

  private mutating func stateWithoutCrossfade(at now: FrameTime) -> PlayerState {
    let current = tracks.last.map { info($0) }
    if let fade = fadeOut(at: now) {
      let new = PlayerState.fadingOut(track: current, duration: rate.seconds(max(0, fade.end - max(now, fade.start))))
      // A running fade-out is reported again only when the track or the fade changes.
      defer { reportedFade = fade }
      guard case .fadingOut(let track, _) = state, track?.id == current?.id || current == nil else { return new }
      return fade == reportedFade ? state : new
    }
    if case .preparingCrossfade(let leaving, _) = state, leaving.id == current?.id { return state }
    if let current { return .playing(track: current) }
    // In the frame in which the last track ends, another one may begin.
    return settled < now || isWaiting ? state : .playing(track: nil)
  }

  private mutating func become(_ new: PlayerState, isStep: Bool = false) -> [ScheduleEvent] {
    reported.become(new, isStep: isStep)
  }
}
