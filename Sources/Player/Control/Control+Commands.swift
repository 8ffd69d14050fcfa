import Schedule
import Engine
import Signal

/// What a command does on the control thread. Each is carried out at one frame: the one that is heard next.
extension Control {
  /// Seconds in which a session ends that nothing follows.
  static let finalFade = 3.0

  var isPaused: Bool { parked != nil }

  /// Why nothing can be asked of it any more; nil while it can.
  var refusal: CommandOutcome? {
    if isOver { return .rejected(.ended) }
    if ending != nil || player.closing != nil {
      return .rejected(.invalidState(current: player.timeline.lastStateName, attempted: "go on"))
    }
    return nil
  }

  /// Everything falls silent and stands still; a gong that rings has rung.
  mutating func pause() -> CommandOutcome {
    if let refusal { return refusal }
    handle(.listenerPaused)
    return isPaused ? .done : halt()
  }

  /// Stops at the frame that is heard next, whoever wants it.
  mutating func halt() -> CommandOutcome {
    if let refusal { return refusal }
    let ramp = ramp
    let changed = change(.edit(.pause, resuming: nil)) { control, frame in
      control.player.settings.gate = Settings.moved(control.player.settings.gate, to: 0, at: frame, over: ramp)
      control.parked = frame + ramp
    }
    guard case .made(let frame) = changed else { return changed.outcome }
    standstill = clock.run(at: frame)..<(.infinity)
    return .done
  }

  /// How the crossfade that is paused would go on now; nil where none is.
  private var resumption: ResumeStrategy? { player.timeline.music.state.resumption(at: clock.age(at: heard)) }

  /// Goes on from the frame at which it stands; a crossfade as it was, or hurried.
  mutating func resume() -> CommandOutcome {
    if let refusal { return refusal }
    handle(.listenerResumed)
    return isPaused ? restart() : .done
  }

  /// Continues from the frame at which it stands, whoever wants it.
  mutating func restart() -> CommandOutcome {
    if let refusal { return refusal }
    let ramp = ramp
    let changed = change(.edit(.resume(resumption), resuming: nil)) { control, frame in
      control.player.settings.gate = Settings.moved(control.player.settings.gate, to: 1, at: frame, over: ramp)
      control.parked = nil
    }
    guard case .made(let frame) = changed else { return changed.outcome }
    standstill = standstill.lowerBound..<max(standstill.lowerBound, clock.run(at: frame))
    return .done
  }

  /// Ends the session under a fade; in a pause, and without a fade, at once.
  mutating func finish(fade seconds: Double, reason: FinishReason) -> CommandOutcome {
    if session.isSilent, !isOver { return endUnheard(as: reason) }
    let length = isPaused ? 0 : max(ramp, rate.frames(seconds))
    // While it fades out already, it can only end sooner.
    if let refusal, isOver || player.closing.map({ $0 <= heard + length }) ?? true { return refusal }
    ending = reason
    if isPaused { return endInPause() }
    guard let frame = close(over: length) else { return .rejected(.ended) }
    tell(player.timeline.fadeOut(at: frame, over: length), at: frame)
    return .done
  }

  /// The output is away: no fade can be heard, and nobody waits for it any longer.
  private mutating func endUnheard(as reason: FinishReason) -> CommandOutcome {
    ending = reason
    _ = sink.retract(over: 0)
    player.desk.stop()
    return .done
  }

  /// Closes everything from here on, and ends there.
  @discardableResult mutating func close(over length: FrameCount) -> FrameTime? {
    let changed = change(.edit(.wind, resuming: nil), isKept: false) { control, frame in
      control.player.settings.gate = Settings.moved(control.player.settings.gate, to: 0, at: frame, over: length)
      control.player.closing = min(frame + length, control.player.end ?? .endless)
      control.parked = nil
    }
    return if case .made(let frame) = changed { frame } else { nil }
  }

  /// Live all has been heard; of a render the ramp into the pause is yet to be written.
  @discardableResult mutating func endInPause() -> CommandOutcome {
    ending = ending ?? .stopped
    guard !isLive, let parked else {
      player.desk.stop()
      return .done
    }
    change { control, _ in
      control.player.closing = parked
      control.parked = nil
    }
    return .done
  }

  /// Moves the volume of a layer, or the master volume.
  mutating func setVolume(of layer: Layer?, to gain: Gain, over seconds: Double) -> CommandOutcome {
    if let refusal { return refusal }
    let length = max(ramp, rate.frames(seconds))
    let changed = change(.volume(layer, gain, over: length)) { control, frame in
      control.player.settings.move(layer, to: gain, at: frame, over: length)
    }
    guard case .made(let frame) = changed else { return changed.outcome }
    emit(.volume(layer, gain, over: rate.seconds(length)), at: frame)
    return .done
  }

  /// Edits the schedule at the frame that is heard next; an edit that can't be made changes nothing.
  mutating func edit(with primed: [PrimedSource] = [], by edit: Edit) -> CommandOutcome {
    if let refusal { return refusal }
    return change(.edit(edit, resuming: resumption), with: primed).outcome
  }

  /// The frame from which on the schedule may be changed now: what was changed last may not be heard yet.
  private var changeable: FrameTime { max(heard, player.origin) }

  private func edited(by edit: Edit, at frame: FrameTime) throws(EditError) -> Schedule {
    try player.schedule.applying(edit, at: frame, keeping: frame, isSilent: isPaused)
  }

  /// What would have to be opened for an edit, made now; or why it can't be made.
  func needs(of edit: Edit) -> Result<[PrimedSource.Need], AudioPlayerError> {
    let frame = max(changeable, parked ?? .min)
    do throws(EditError) {
      let arrivals = player.arrivals(in: try edited(by: edit, at: frame), at: frame)
      return .success(arrivals.map { PrimedSource.Need($0) })
    } catch { return .failure(AudioPlayerError(error)) }
  }

  /// Live, a crossfade that an edit leads to waits for a sound that is being opened, which may take its time.
  mutating func prepareCrossfade(by edit: Edit) {
    let frame = changeable
    guard isLive, !isPaused, let schedule = try? edited(by: edit, at: frame) else { return }
    let arrivals = player.arrivals(in: schedule, at: frame)
    guard let next = arrivals.first(where: { $0.layer == .music }), next.fadeIn != nil else { return }
    tell(player.timeline.prepareCrossfade(to: next), at: frame)
  }

  /// It can't be opened, or nobody wants it any more.
  mutating func abandonCrossfade() { tell(player.timeline.abandonCrossfade(), at: heard) }

  /// The schedule at the frame from which on it may be changed.
  private var current: Schedule {
    var schedule = player.schedule
    schedule.advance(to: changeable, keeping: changeable)
    return schedule
  }

  /// The track that so many steps would lead to.
  func peek(steps: Int) -> UpcomingTrack? {
    current.peek(steps: steps).map { UpcomingTrack($0.track, index: $0.index, pass: $0.pass, rate: rate) }
  }

  /// The sound of that track for one step, as `next` would open it.
  var upcomingNeed: PrimedSource.Need? {
    guard let source = current.peek(steps: 1)?.track.source, case .success(let needs) = needs(of: .step(by: 1)) else {
      return nil
    }
    return needs.first { $0.source == source }
  }

  /// A candidate that can't be opened has been passed over.
  mutating func tellUnplayable(_ failure: Opener.Failure) {
    let (error, event) = failure.error.report(of: failure.title)
    player.damage.append(error)
    player.timeline.count(damaged: 1)
    tell([event, .trackSkipped(title: failure.title, reason: error), .error(PlayerProblem(error))], at: heard)
  }

  mutating func tell(_ events: [PlayerEvent], at frame: FrameTime) { for event in events { emit(event, at: frame) } }
}
