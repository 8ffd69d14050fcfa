import Engine
import Schedule
import Signal
import Sounds

/// The part of each command that runs on the control thread. A command takes effect at the frame heard next.
extension Transport {
  /// Seconds of the fade-out when `next` is given in the last track, or when a script ends in an open stage.
  static let finalFade = 3.0

  var isPaused: Bool { pausedAt != nil }

  /// Whether commands are accepted: not once the session fades out or has ended.
  var isChangeable: Bool { (try? coordinator.hasEffect(.change)) != nil }

  /// Throws why a request is refused; otherwise returns whether it has an effect.
  @discardableResult
  private func check(_ request: PlaybackStateCoordinator.Request) throws(PlayerError) -> Bool {
    do throws(PlaybackStateCoordinator.Refusal) { return try coordinator.hasEffect(request) } catch {
      throw rejection(error)
    }
  }

  private func rejection(_ refusal: PlaybackStateCoordinator.Refusal) -> PlayerError {
    switch refusal {
    case .isOver: .ended
    case .isEnding: .ending(in: player.timeline.playhead.state.name)
    }
  }

  /// Applies an edit whose sounds are open.
  mutating func edit(_ edit: Edit, with primed: [PrimedSource]) -> CommandOutcome {
    do throws(PlayerError) {
      try check(.change)
      try change(.edit(edit, resuming: resumption), with: primed)
      return .done
    } catch { return .rejected(error) }
  }

  /// Pauses the session for the listener: everything fades out and stops. A ringing gong does not continue after the
  /// pause.
  mutating func pause() -> CommandOutcome {
    do throws(PlayerError) {
      // During an interruption, the session is paused already, and now stays paused after it.
      guard try check(.pause) || !session.isPausedByListener else {
        throw .edit(.noEffect("the session is already paused"))
      }
      handle(.listenerPaused)
      try halt()
      return .done
    } catch { return .rejected(error) }
  }

  /// Pauses at the frame heard next, for the listener or for the output. Does nothing during a pause.
  mutating func halt() throws(PlayerError) {
    guard try check(.pause) else { return }
    let ramp = ramp
    let frame = try change(.edit(.pause, resuming: nil)) { control, frame in
      control.player.settings.transportFade.move(to: 0, at: frame, over: ramp)
      control.coordinator.pause(at: frame + ramp)
    }
    standstill = clock.run(at: frame)..<(.infinity)
  }

  /// How a paused crossfade would resume now; nil if no crossfade is paused.
  var resumption: ResumeStrategy? { player.timeline.playhead.state.resumption(at: clock.age(at: heard)) }

  /// Resumes for the listener, from the paused frame. A crossfade continues at its speed, or is finished quickly.
  mutating func resume() -> CommandOutcome {
    do throws(PlayerError) {
      guard try check(.resume) else { throw .edit(.noEffect("the session is already playing")) }
      handle(.listenerResumed)
      try restart()
      return .done
    } catch { return .rejected(error) }
  }

  /// Resumes from the paused frame, for the listener or for the output. Does nothing if the session is not paused.
  mutating func restart() throws(PlayerError) {
    guard try check(.resume) else { return }
    let ramp = ramp
    let frame = try change(.edit(.resume(resumption), resuming: nil)) { control, frame in
      control.player.settings.transportFade.move(to: 1, at: frame, over: ramp)
      control.coordinator.resume()
    }
    standstill = standstill.lowerBound..<max(standstill.lowerBound, clock.run(at: frame))
  }

  /// Ends the session with a fade of `seconds`, or with the shortest ramp if that is longer. A paused session ends
  /// without a fade.
  mutating func finish(fade seconds: Double, reason: FinishReason) -> CommandOutcome {
    let (length, isHeard) = (max(ramp, rate.frames(seconds)), session.isAudible && !isInLeadIn)
    do throws(PlaybackStateCoordinator.Refusal) {
      let ending = try coordinator.finish(over: length, isHeard: isHeard, at: heard)
      guard let fade = end(ending, as: reason) else { return .rejected(.ended) }
      if case .fadeOut = ending { report(fade) }
      return .done
    } catch { return .rejected(rejection(error)) }
  }

  /// Ends the session early because of a signal, with a fade of `seconds`. A live sink fades out from the frame heard
  /// next, and drops the rest of its buffer. A render fades out from its next frame. A second signal ends the session
  /// at once, with a fade that is just long enough to avoid a click.
  mutating func interrupt(fade seconds: Double, reason: FinishReason) {
    guard case .running = renderEnd else { return }
    let ramp = rate.frames(isInterrupted ? 0.02 : seconds)
    let isAudible = isRunning && session.isAudible && !isInLeadIn
    isInterrupted = true
    // This also shortens a fade that the sink is already playing.
    let isFading = sink.retract(over: ramp)
    guard let ending = coordinator.interrupt(over: ramp, isFading: isFading, at: heard) else { return }
    if ending != .now { scriptLimit = .endless }
    let fade = end(ending, as: reason)
    switch ending {
    case .fadeOut: report(fade)
    case .now where isFading && isAudible: report(fade.map { $0.lowerBound..<$0.lowerBound + ramp })
    default: break
    }
  }

  /// Reports the fade-out that ends the session.
  private mutating func report(_ fade: Range<FrameTime>?) {
    guard let fade else { return }
    let events = player.timeline.playhead.finish(
      with: .falling(at: fade.lowerBound, over: FrameCount(fade.count), .linear))
    emit(events, at: fade.lowerBound)
  }

  /// Ends a render that a script leaves paused.
  mutating func endInPause() {
    if let ending = try? coordinator.finish(over: 0, isHeard: true, at: heard) { _ = end(ending, as: .stopped) }
  }

  /// Ends the session early.
  ///
  /// - Returns: the frames of the fade, none without a fade; nil if the render has already ended.
  private mutating func end(_ ending: PlaybackStateCoordinator.Ending, as reason: FinishReason) -> Range<FrameTime>? {
    coordinator.stop(as: reason)
    switch ending {
    case .fadeOut(let length): return close(over: length)
    case .inPause(let pausedAt): _ = try? change { control, _ in control.coordinator.close(at: pausedAt) }
    case .now, .unheard:
      if ending == .unheard { _ = sink.retract(over: 0) }
      player.mixerControl.stop()
    }
    // The listener hears the next frame at any moment, so the frame is read once.
    let frame = heard
    return frame..<frame
  }

  /// The shortest ramp that doesn't click, in frames.
  var ramp: FrameCount { player.schedule.ramp.length }

  /// Whether the silence before the session is still being heard.
  private var isInLeadIn: Bool { isLive && sink.heard < leadIn }

  /// Fades everything out over `length` frames, or as many as are left, and ends the session there.
  ///
  /// - Returns: the frames of the fade; nil if the render has already ended.
  private mutating func close(over length: FrameCount) -> Range<FrameTime>? {
    var length = length
    let frame = try? change(.edit(.finish, resuming: nil)) { control, frame in
      let last = (try? control.player.schedule.applying(.finish, at: frame, keeping: frame))?.end ?? .endless
      // Between two repeats of a last overlay, everything that has begun is over.
      let end = max(frame, last)
      length = min(length, max(control.ramp, end - frame))
      control.player.settings.closingFade.move(to: 0, at: frame, over: length)
      control.coordinator.close(at: min(frame + length, end))
    }
    return frame.map { $0..<$0 + length }
  }

  /// The volume of a layer, or the master volume if `layer` is nil; during a fade, the volume at its end.
  func volume(of layer: Layer?) -> Gain { Gain(linear: player.settings[layer].to) }

  /// Fades the volume of a layer, or the master volume if `layer` is nil, over `seconds`.
  mutating func setVolume(of layer: Layer?, to gain: Gain, over seconds: Double) -> CommandOutcome {
    let length = max(ramp, rate.frames(seconds))
    do throws(PlayerError) {
      try check(.change)
      let now = max(changeable, pausedAt ?? .min)
      if layer == .overlay, !player.schedule.hasOverlay(at: now) { throw .edit(.noOverlay) }
      // A change at once also has no effect while another one to the same volume ends.
      let fade = player.settings[layer]
      if fade.to == gain.linear, fade.end <= now + (length == ramp ? ramp : 0) {
        throw .edit(.noEffect("the volume is already \(Int((100 * gain.linear).rounded()))%"))
      }
      let frame = try change(.volume(layer, gain, over: length))
      emit(.volume(layer, gain, over: rate.seconds(length)), at: frame)
      return .done
    } catch { return .rejected(error) }
  }

  /// The first frame at which the schedule may change now. If the last edit has not been heard yet, it is that edit's
  /// frame, because edits must be in order.
  private var changeable: FrameTime { max(heard, player.origin) }

  private func edited(by edit: Edit, at frame: FrameTime) throws(EditError) -> Schedule {
    try player.schedule.applying(edit, at: frame, keeping: frame, isSilent: isPaused)
  }

  /// The clips that would begin or enter if an edit were applied now, or why it would be rejected.
  func arrivals(after edit: Edit) -> Result<[Clip], PlayerError> {
    let frame = max(changeable, pausedAt ?? .min)
    do throws(EditError) {
      return .success(player.arrivals(in: try edited(by: edit, at: frame), at: frame))
    } catch { return .failure(.edit(error)) }
  }

  /// Reports that a command begins to open a sound.
  ///
  /// - Parameters:
  ///   - stage: index of the stage that plays it; nil for the current one.
  ///   - command: the name of the command that waits for it.
  mutating func beginLoad(
    _ source: SoundSource, _ title: String, stage: Int? = nil, for command: String
  ) -> BegunLoad {
    let load = BegunLoad(id: player.nextLoad(), source: source)
    emit(.loadStarted(title: title, id: load.id), at: heard, stage: stage ?? player.timeline.stage)
    loads.hold(command, for: load.id)
    return load
  }

  /// Reports the end of a load that a command has begun, unless it has been reported.
  ///
  /// - Parameter result: the seconds that it took, nil for those since its beginning; or why it failed.
  mutating func endLoad(_ load: BegunLoad?, with result: Result<Double?, LoadError>) {
    guard let load, let (title, stage, began) = loads[load.id] else { return }
    let seconds = result.map { [now] in $0 ?? max(0, now - began) }
    emit(player.event(ending: load.id, of: title, with: seconds), at: heard, stage: stage)
  }

  /// Reports that a live player is preparing a track, which starts when its sound is open. That may take seconds.
  mutating func prepareCrossfade(to arrivals: [Clip]) {
    guard isLive, !isPaused, let next = arrivals.first(where: { $0.layer == .music }) else { return }
    emit(player.timeline.playhead.prepareCrossfade(to: next), at: changeable)
  }

  /// Reports that a prepared crossfade will not happen, because its sound can't be opened or its command was cancelled.
  mutating func abandonCrossfade() { emit(player.timeline.playhead.abandonCrossfade(), at: heard) }

  /// The schedule, advanced to the first frame at which it may change.
  private var current: Schedule {
    var schedule = player.schedule
    schedule.advance(to: changeable, keeping: changeable)
    return schedule
  }

  /// The track that `steps` of `next` would lead to, or of `previous` if negative.
  func peek(steps: Int) -> UpcomingTrack? {
    current.peek(steps: steps).map { UpcomingTrack($0.track, index: $0.index, pass: $0.pass, rate: rate) }
  }

  /// The sounds that so many steps of `next`, or of `previous` if negative, would open.
  func needs(steps: [Int]) -> [PrimedSource.Need] {
    let current = current
    return steps.compactMap { steps in
      guard let source = current.peek(steps: steps)?.track.source,
        case .success(let clips) = arrivals(after: .step(by: steps))
      else { return nil }
      return clips.first { $0.source == source }.map { PrimedSource.Need($0) }
    }
  }

  /// Marks a track that `next` or `previous` can't open as unplayable, and reports it.
  ///
  /// - Returns: whether it belongs to the current stage; nil if the load failed for another reason, or if the sound is
  ///   not that of a track.
  mutating func passOver(_ failure: SoundOpener.Failure, steps: Int) -> Bool? {
    guard isChangeable, failure.isOfSound else { return nil }
    let schedule = current
    let edits = schedule.passingOver(failure.source, steps: steps, isTransient: failure.error.isTransient)
    guard let stage = schedule.stage(steps: steps), !edits.isEmpty else { return nil }
    let (frame, reason) = (heard, failure.error.sourceError(of: failure.title))
    player.count(reason, at: frame)
    emit(.trackSkipped(title: failure.title, reason: reason), at: frame, stage: stage)
    emit(.error(failure.error.error(loading: failure.title)), at: frame, stage: stage)
    for edit in edits { _ = try? change(.edit(edit, resuming: resumption)) }
    return if case .track = schedule.target(steps: steps) { true } else { false }
  }

  /// Reports session-wide cues that an edit has dropped.
  func warnings(of dropped: [DroppedCue]) -> [PlayerEvent] {
    dropped.map { cue in
      let due = JSONLine.seconds(rate.seconds(cue.at))
      let times = cue.count == 1 ? "at \(due) s" : "\(cue.count) times from \(due) s on"
      return .warning("'\(cue.title)' does not play \(times): the session now ends earlier")
    }
  }

  /// Emits events in order, all stamped with `frame`.
  mutating func emit(_ events: [PlayerEvent], at frame: FrameTime) { for event in events { emit(event, at: frame) } }

  mutating func emit(_ events: [ScheduleEvent], at frame: FrameTime) { emit(events.map { PlayerEvent($0) }, at: frame) }
}
