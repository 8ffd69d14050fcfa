import Schedule
import Signal
import Sounds
import Synchronization

/// Executes commands. Each command becomes an operation of the queue, opens the sounds that it needs, and then applies
/// one edit on the control thread.
///
/// The methods run on Swift's thread pool. They suspend, but never block a thread.
struct CommandExecutor: Sendable {
  let controlLoop: ControlLoop
  let opener: SoundOpener
  let queue: AsyncOperationQueue
  /// The last state changes, for the metrics; nil if nothing is measured.
  let history: StateHistory?
  let isLive: Bool

  private var visits: ControlVisits { ControlVisits(controlLoop: controlLoop, opener: opener, isLive: isLive) }

  /// Executes simultaneous commands in order, and reports the outcome of each as an event.
  ///
  /// - Returns: one outcome for each command, in the same order.
  func perform(_ commands: [Command]) async -> [CommandOutcome] {
    let tickets = commands.map { CommandTicket($0) }
    let outcomes = await queue.perform(tickets.map { operation(for: $0) })
    // Operations that never ran have not reported theirs.
    if tickets.contains(where: \.isOpen) {
      _ = await controlLoop.perform { control in
        for (ticket, outcome) in zip(tickets, outcomes) { _ = ticket.report(outcome, to: &control) }
      }
    }
    if isLive, commands.contains(where: \.changesUpcoming) { Task { await prepareNext() } }
    return outcomes
  }

  private func operation(for ticket: CommandTicket) -> Operation {
    let command = ticket.command
    return Operation(
      name: command.name, priority: command.priority, navigation: command.navigation,
      outlastsInterruptions: command.outlastsInterruptions, endsLoads: command == .cancel,
      isCounted: !command.isAboutMetrics,
      onArrival: { [controlLoop] id, arrival in
        ticket.take(id)
        if arrival == .rejected || command.isQuiet { return }
        // A command that begins at once visits the control thread in a moment, which is soon enough for this, too.
        controlLoop.post(isUrgent: arrival == .waits) { $0.accept(command.name, id: id) }
      }
    ) { context in
      let run = CommandRun(ticket: ticket, context: context)
      let outcome = await execute(run)
      // The outcome is reported before the next operation starts, so the events stay in order.
      return ticket.isOpen ? await visit(run) { _ in .ended(outcome) } : outcome
    }
  }

  private func execute(_ run: CommandRun) async -> CommandOutcome {
    switch run.command {
    case .play, .resume: await visit(run) { Self.resume(&$0) }
    case .pause: await visit(run) { .ended($0.pause()) }
    case .toggle: await visit(run) { Self.toggle(&$0) }
    case .cancel: 0 < run.context.endedLoads ? .done : .rejected(.nothingToCancel)
    case .stop: await visit(run) { .ended($0.finish(fade: 0, reason: .stopped)) }
    case .finish(let fade): await visit(run) { .ended($0.finish(fade: fade, reason: .stopped)) }
    case .next, .previous: await visit(run) { [isLive] _ in Skip(by: run.context.steps, isLive: isLive).step }
    case .nextStage: await visit(run) { _ in Self.nextStage }
    case .previousStage: await edit(run, .stage(by: -1))
    case .jump(let index): await edit(run, .jump(index))
    case .seek(let seek): await edit(run, .seek(seek))
    case .goto(let stage, let position): await edit(run, .goto(stage: stage, at: position))
    case .volume(let gain, let seconds): await setVolume(run, of: nil, over: seconds) { _ in gain }
    case .volumeStep(let step, let layer, let seconds):
      await setVolume(run, of: layer, over: seconds) { step.applied(to: $0, upTo: .maximumVolume(of: layer)) }
    case .crossfade(let duration, let curve): await edit(run, .crossfade(seconds: duration, curve))
    case .repetition(let mode, let count): await edit(run, .repetition(mode, count: count))
    case .playlist(let change): await changePlaylist(change, run)
    case .overlay(.play(let request)): await play(request, run)
    case .overlay(.stop): await edit(run, .stopOverlays)
    case .overlay(.pause): await edit(run, .pauseOverlays)
    case .overlay(.resume): await edit(run, .resumeOverlays)
    case .overlay(.volume(let gain, let seconds)): await setVolume(run, of: .overlay, over: seconds) { _ in gain }
    case .overlay(.repetition(let times, let delay)): await edit(run, .overlayRepetition(times, delay: delay))
    case .gong(let cue): await strike(cue, run)
    case .effects(.volume(let gain, let seconds)): await setVolume(run, of: .effect, over: seconds) { _ in gain }
    case .effects(.stop): await edit(run, .stopEffects)
    case .effects(.preload(let cues)): await preload(cues, run)
    case .effects(.unload(let cues)): unload(cues)
    case .music(.pause): await edit(run, .pauseMusic)
    case .music(.resume): await edit(run, .resumeMusic)
    case .music(.volume(let gain, let seconds)): await setVolume(run, of: .music, over: seconds) { _ in gain }
    case .cache(.clear): clearCache()
    case .metrics(let isReset, quietly: _): await emitMetrics(run, reset: isReset)
    }
  }

  /// - Parameter gain: receives the volume before.
  private func setVolume(
    _ run: CommandRun, of layer: Layer?, over seconds: Double, to gain: @escaping @Sendable (Gain) -> Gain
  ) async -> CommandOutcome {
    await visit(run) { .ended($0.setVolume(of: layer, to: gain($0.volume(of: layer)), over: seconds)) }
  }

  private static func toggle(_ control: inout Transport) -> CommandStep {
    control.isPaused || control.player.schedule.isMusicPaused ? resume(&control) : .ended(control.pause())
  }

  /// Resumes the session, and also the music if it was paused separately.
  private static func resume(_ control: inout Transport) -> CommandStep {
    let outcome = control.isPaused || !control.player.schedule.isMusicPaused ? control.resume() : .done
    return outcome == .done && control.player.schedule.isMusicPaused ? .edit(.resumeMusic) : .ended(outcome)
  }

  /// Goes to the next stage. Only the listener ends an open stage, so `nextStage` in an open last one finishes the
  /// session.
  private static var nextStage: CommandStep {
    .edit(.stage(by: 1)) { result, control in
      guard result.outcome == .rejected(.edit(.noNextTrack)), control.player.schedule.openLayout != nil else {
        return .ended(result.outcome)
      }
      return .ended(control.finish(fade: Transport.finalFade, reason: .completed))
    }
  }

  private func clearCache() -> CommandOutcome {
    opener.clear()
    return .done
  }

  /// The queue's metrics, with those of the cache, the loader and the process; nil if they are not recorded.
  var metrics: QueueMetrics? {
    get async {
      guard let history else { return nil }
      return await Self.metrics(of: queue, opener, history, isLive: isLive)
    }
  }

  static func metrics(
    of queue: AsyncOperationQueue, _ opener: SoundOpener, _ history: StateHistory, isLive: Bool
  ) async -> QueueMetrics {
    var metrics = await queue.metrics
    metrics.stateChanges = history.changes
    metrics.cache = opener.cache.figures
    metrics.loadTimeout = opener.loader.timeout
    // A render emits the same events on every machine, so it can't report memory.
    metrics.residentBytes = isLive ? ProcessMemory.residentBytes : nil
    return metrics
  }

  /// Emits the metrics as an event, and resets them afterwards if requested.
  private func emitMetrics(_ run: CommandRun, reset isReset: Bool) async -> CommandOutcome {
    guard let metrics = await metrics else {
      return .rejected(.edit(.noEffect("the metrics are not recorded; start the player with metrics")))
    }
    if isReset { await queue.resetMetrics() }
    return await visit(run) { control in
      control.emit(.metrics(metrics.with(control.player.timeline.totals.shortfalls)), at: control.heard)
      return .ended(.done)
    }
  }

  /// Opens the tracks that `next` and `previous` would lead to in the background, so that these need no load.
  func prepareNext() async {
    let preload = Operation(name: "preload", priority: .low, isCounted: false) { [controlLoop, opener] _ in
      if let needs = await controlLoop.perform({ $0.needs(steps: [1, -1]) }) { opener.cache.preload(needs) }
      return .done
    }
    _ = await queue.perform([preload])
  }

  /// Opens the sounds that an edit needs, and applies it.
  ///
  /// - Parameter load: the load of the sound that the edit plays, if it has begun.
  private func edit(_ run: CommandRun, _ edit: Edit, continuing load: BegunLoad? = nil) async -> CommandOutcome {
    await visit(run, continuing: load) { _ in .edit(edit) }
  }

  private func visit(
    _ run: CommandRun, continuing load: BegunLoad? = nil,
    _ begin: @escaping @Sendable (inout Transport) -> CommandStep
  ) async -> CommandOutcome {
    await visits.visit(run, continuing: load, begin)
  }
}

/// Commands that add sounds to the session. Each sound is probed first, because the schedule needs its length.
extension CommandExecutor {
  /// Decodes a gong into memory, unless it is too long or in memory already, and strikes it.
  private func strike(_ cue: Cue, _ run: CommandRun) async -> CommandOutcome {
    if let length = opener.preloadedLength(cue) { return await edit(run, .gong(cue, length: length)) }
    return await loading(cue, run) {
      await opener.preloadEffect(cue, for: run.context)
    } then: { length, load in
      await edit(run, .gong(cue, length: length), continuing: load)
    }
  }

  /// Starts an overlay.
  private func play(_ request: OverlayRequest, _ run: CommandRun) async -> CommandOutcome {
    await loading(request.cue, run) {
      await opener.facts(of: request.cue, for: run.context)
    } then: { facts, load in
      await edit(
        run, .overlay(request, length: facts.length, resampled: facts.resampled), continuing: load)
    }
  }

  /// Loads a sound, and goes on with what was found and with the load, which has not ended yet. Reports why it failed.
  private func loading<Value: Sendable>(
    _ cue: Cue, _ run: CommandRun, _ load: () async -> Result<Value, SoundOpener.Failure>,
    then proceed: (Value, BegunLoad) async -> CommandOutcome
  ) async -> CommandOutcome {
    guard let begun = await controlLoop.perform({ $0.beginLoad(cue.source, cue.title, for: run.context.operation) })
    else { return .rejected(.ended) }
    switch await load() {
    case .success(let value): return await proceed(value, begun)
    case .failure(let failure):
      return await visit(run) { control in
        control.endLoad(begun, with: .failure(failure.error))
        return .ended(failure.outcome)
      }
    }
  }

  /// Loads a sound that nothing plays yet, and reports the load.
  private func loaded<Value: Sendable>(
    _ cue: Cue, _ run: CommandRun, _ load: () async -> Result<Value, SoundOpener.Failure>,
    then proceed: (Value) -> Void = { _ in }
  ) async -> CommandOutcome {
    await loading(cue, run, load) { value, begun in
      proceed(value)
      return await controlLoop.perform { $0.endLoad(begun, with: .success(nil)) } == nil ? .rejected(.ended) : .done
    }
  }

  /// Decodes gongs into memory, up to the first one that can't be opened.
  private func preload(_ cues: [Cue], _ run: CommandRun) async -> CommandOutcome {
    if cues.allSatisfy(opener.isPreloaded) { return .rejected(.edit(.noEffect("the gongs are already in memory"))) }
    for cue in cues where !opener.isPreloaded(cue) {
      let outcome = await loaded(cue, run) { await opener.preloadEffect(cue, for: run.context) }
      if outcome != .done { return outcome }
    }
    return .done
  }

  /// Removes decoded gongs from memory.
  private func unload(_ cues: [Cue]) -> CommandOutcome {
    guard cues.contains(where: opener.isPreloaded) else {
      return .rejected(.edit(.noEffect("the gongs are not in memory")))
    }
    for cue in cues { opener.unloadEffect(cue) }
    return .done
  }

  private func changePlaylist(_ change: PlaylistEdit, _ run: CommandRun) async -> CommandOutcome {
    switch change {
    case .replace(let cues): await withTracks(cues, run) { .replace($0) }
    case .append(let cues): await withTracks(cues, run) { .append($0) }
    case .insert(let cues, let index): await withTracks(cues, run) { .insert($0, at: index) }
    case .remove(let index): await withTracks([], run) { _ in .remove(at: index) }
    case .move(let from, let to): await withTracks([], run) { _ in .move(from: from, to: to) }
    }
  }

  /// Probes the sounds as tracks, and applies the change of the playlist that `change` makes of them.
  private func withTracks(
    _ cues: [Cue], _ run: CommandRun, then change: @Sendable ([Track]) -> PlaylistChange
  ) async -> CommandOutcome {
    var tracks: [Track] = []
    for cue in cues {
      let outcome = await loaded(cue, run) {
        await opener.facts(of: cue, for: run.context)
      } then: { facts in
        var track = Track(source: cue.source, title: cue.title, gain: cue.gain, length: facts.length)
        (track.resampled, track.tags) = (facts.resampled, facts.tags)
        tracks.append(track)
      }
      if outcome != .done { return outcome }
    }
    return await edit(run, .playlist(change(tracks)))
  }
}

extension Command {
  /// The priority in the queue; `OperationPriority` describes the levels.
  fileprivate var priority: OperationPriority {
    switch self {
    case .stop: .critical
    case .play, .pause, .resume, .toggle, .finish, .cancel: .high
    case .cache, .effects(.preload), .effects(.unload): .low
    default: .normal
    }
  }

  /// Whether it may change which track is next while the current one keeps playing.
  fileprivate var changesUpcoming: Bool {
    switch self {
    case .playlist, .repetition: true
    default: false
    }
  }

  /// Whether an interruption does not stop it.
  fileprivate var outlastsInterruptions: Bool {
    switch self {
    case .playlist, .repetition, .crossfade, .effects(.preload): true
    default: false
    }
  }

  /// Whether it emits no `command` events.
  var isQuiet: Bool { if case .metrics(_, quietly: true) = self { true } else { false } }

  /// How it changes the position of the music; nil if it doesn't.
  fileprivate var navigation: Navigation? {
    switch self {
    case .next: .step(1)
    case .previous: .step(-1)
    case .goto: .other
    case .jump, .seek, .nextStage, .previousStage: .within
    case .play, .resume: .resume
    default: nil
    }
  }
}

extension PlayerError {
  fileprivate static let nothingToCancel = edit(.noEffect("no command is waiting for a sound"))
}
