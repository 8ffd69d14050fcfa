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
      return .rejected(.invalidState(current: player.narrator.lastStateName, attempted: "go on"))
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
    let frame = change { control, frame in
      control.player.settings.gate = Settings.moved(control.player.settings.gate, to: 0, at: frame, over: ramp)
      control.parked = frame + ramp
    } editing: { score, frame in
      try? score.attempt(.pause, at: frame)
    }
    guard let frame else { return .rejected(.ended) }
    standstill = clock.run(at: frame)..<(.infinity)
    tell(player.narrator.pause(at: frame, age: clock.age(at: frame)), at: frame)
    return .done
  }

  /// How the crossfade that is paused would go on now; nil where none is.
  private var resumption: ResumeStrategy? {
    player.score.orchestrator.strategy(resuming: player.narrator.music.state, at: clock.age(at: heard))
  }

  /// Goes on from the frame at which it stands; a crossfade as it was, or hurried.
  mutating func resume(with primed: [PrimedSource] = []) -> CommandOutcome {
    if let refusal { return refusal }
    handle(.listenerResumed)
    return isPaused ? restart(with: primed) : .done
  }

  /// Continues from the frame at which it stands, whoever wants it.
  mutating func restart(with primed: [PrimedSource] = []) -> CommandOutcome {
    if let refusal { return refusal }
    let ramp = ramp
    let age = clock.age(at: heard)
    let strategy = resumption
    let frame = change(with: primed) { control, frame in
      control.player.settings.gate = Settings.moved(control.player.settings.gate, to: 1, at: frame, over: ramp)
      control.parked = nil
    } editing: { score, frame in
      try? score.attempt(.resume(strategy), at: frame)
    }
    guard let frame else { return .rejected(.ended) }
    standstill = standstill.lowerBound..<max(standstill.lowerBound, clock.run(at: frame))
    // Music that is paused alone stays so.
    if player.score.pausedMusic == nil { tell(player.narrator.resume(at: frame, shift: 0, age: age), at: frame) }
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
    tell(player.narrator.fadeOut(at: frame, over: length), at: frame)
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
    change { control, frame in
      control.player.settings.gate = Settings.moved(control.player.settings.gate, to: 0, at: frame, over: length)
      control.player.closing = min(frame + length, control.player.score.end ?? .endless)
      control.parked = nil
    } editing: { score, _ in
      score.wind()
      return nil
    }
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
    let frame = change { control, frame in
      control.player.settings.move(layer, to: gain, at: frame, over: length)
    } editing: { _, _ in
      .volume(layer, gain, over: length)
    }
    guard let frame else { return .rejected(.ended) }
    emit(.volume(layer, gain, over: rate.seconds(length)), at: frame)
    return .done
  }

  /// Changes the score at the frame that is heard next; an edit that can't be made changes nothing.
  mutating func edit(with primed: [PrimedSource] = [], by edit: ScoreChange) -> CommandOutcome {
    if let refusal { return refusal }
    let before = player.score.pausedMusic?.at
    let strategy = resumption
    var failure: AudioPlayerError?
    let frame = change(
      with: primed,
      editing: { score, frame in
        do throws(AudioPlayerError) {
          return try score.attempt(.change(edit, resuming: strategy), at: frame)
        } catch {
          failure = error
          return nil
        }
      })
    guard let frame else { return .rejected(.ended) }
    if let failure { return .rejected(failure) }
    tellMusic(pausedAt: before, at: frame)
    return .done
  }

  private static func attempt(_ edit: ScoreChange, on score: inout Score, at frame: FrameTime) -> AudioPlayerError? {
    var edited = score
    do throws(AudioPlayerError) {
      try edit.make(on: &edited, at: frame)
      score = edited
      return nil
    } catch { return error }
  }

  private mutating func tellMusic(pausedAt before: FrameTime?, at frame: FrameTime) {
    let isPausedNow = player.score.pausedMusic != nil
    if isPaused || (before != nil) == isPausedNow { return }
    let age = clock.age(at: frame)
    tell(
      isPausedNow
        ? player.narrator.pause(at: frame, age: age)
        : player.narrator.resume(at: frame, shift: frame - (before ?? frame), age: age), at: frame)
  }

  /// The frame from which on the score may be changed now: what was changed last may not be heard yet.
  private var changeable: FrameTime { max(heard, player.origin) }

  /// What would have to be opened for an edit, made now; or why it can't be made.
  mutating func needs(of edit: ScoreChange) -> Result<[PrimedSource.Need], AudioPlayerError> {
    let frame = max(changeable, parked ?? .min)
    player.score.isSilent = isPaused
    var failure: AudioPlayerError?
    let needs = player.needs(of: { failure = Self.attempt(edit, on: &$0, at: frame) }, at: frame)
    return failure.map { .failure($0) } ?? .success(needs)
  }

  /// Live, a crossfade that an edit leads to waits for a sound that is being opened, which may take its time.
  mutating func prepareCrossfade(by edit: ScoreChange) {
    guard isLive, !isPaused else { return }
    let frame = changeable
    let arrivals = player.arrivals(by: { _ = Self.attempt(edit, on: &$0, at: frame) }, at: frame)
    guard let next = arrivals.first(where: { $0.layer == .music }), next.fadeIn != nil else { return }
    tell(player.narrator.prepareCrossfade(to: next), at: frame)
  }

  /// It can't be opened, or nobody wants it any more.
  mutating func abandonCrossfade() { tell(player.narrator.abandonCrossfade(), at: heard) }

  /// Where so many steps would lead to.
  func peek(steps: Int) -> UpcomingTrack? {
    switch player.target(steps: steps, at: changeable) {
    case .track(let index, let pass):
      UpcomingTrack(player.score.plan.tracks[index], index: index, pass: pass, rate: rate)
    case .stage(let stage):
      programme.stages[stage].music.tracks.first.map { UpcomingTrack($0, index: 0, pass: 0, rate: rate) }
    case .end, nil: nil
    }
  }

  /// A candidate that can't be opened has been passed over.
  mutating func tellUnplayable(_ failure: Opener.Failure) {
    let title = failure.title
    if case .timedOut(let seconds) = failure.error {
      return emit(.loadTimeout(title: title, milliseconds: 1_000 * seconds), at: heard)
    }
    guard case .failed(let error) = failure.error else { return }
    player.damage.append(error)
    player.narrator.count(damaged: 1)
    tell(
      [.loadFailed(title: title, error), .trackSkipped(title: title, reason: error), .error(PlayerProblem(error))],
      at: heard)
  }

  mutating func tell(_ events: [PlayerEvent], at frame: FrameTime) { for event in events { emit(event, at: frame) } }
}
