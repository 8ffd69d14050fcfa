import Engine
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
  let reload: ReloadCommand

  init(
    controlLoop: ControlLoop, opener: SoundOpener, queue: AsyncOperationQueue, history: StateHistory?, isLive: Bool,
    reading read: ReloadedSession.Reading? = nil,
    voices: Engine.Voices = Engine.Voices(music: 0, overlays: 0, effects: 0)
  ) {
    (self.controlLoop, self.opener, self.queue) = (controlLoop, opener, queue)
    (self.history, self.isLive) = (history, isLive)
    let visits = ControlVisits(controlLoop: controlLoop, opener: opener, isLive: isLive)
    reload = ReloadCommand(visits: visits, read: read, voices: voices)
  }

  private var visits: ControlVisits { ControlVisits(controlLoop: controlLoop, opener: opener, isLive: isLive) }
  private var sounds: SoundCommands { SoundCommands(opener: opener, visits: visits) }

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
      return ticket.isOpen ? await visits.visit(run) { _ in .ended(outcome) } : outcome
    }
  }

  private func execute(_ run: CommandRun) async -> CommandOutcome {
    switch run.command {
    case .play, .resume: await visits.visit(run) { Self.resume(&$0) }
    case .pause: await visits.visit(run) { .ended($0.pause()) }
    case .toggle: await visits.visit(run) { Self.toggle(&$0) }
    case .cancel: 0 < run.context.endedLoads ? .done : .rejected(.nothingToCancel)
    case .stop: await visits.visit(run) { .ended($0.finish(fade: 0, reason: .stopped)) }
    case .finish(let fade): await visits.visit(run) { .ended($0.finish(fade: fade, reason: .stopped)) }
    case .next, .previous: await visits.visit(run) { [isLive] _ in Skip(by: run.context.steps, isLive: isLive).step }
    case .nextStage: await visits.visit(run) { _ in Self.nextStage }
    case .previousStage: await visits.edit(run, .stage(by: -1))
    case .jump(let index): await visits.edit(run, .jump(index))
    case .seek(let seek): await visits.edit(run, .seek(seek))
    case .goto(let stage, let position): await visits.edit(run, .goto(stage: stage, at: position))
    case .volume(let gain, let seconds): await setVolume(run, of: nil, over: seconds) { _ in gain }
    case .volumeStep(let step, let layer, let seconds):
      await setVolume(run, of: layer, over: seconds) { step.applied(to: $0, upTo: .maximumVolume(of: layer)) }
    case .crossfade(let duration, let curve): await visits.edit(run, .crossfade(seconds: duration, curve))
    case .repetition(let mode, let count): await visits.edit(run, .repetition(mode, count: count))
    case .reload: await reload.reload(run)
    case .extend(let seconds): await visits.edit(run, .extend(by: seconds))
    case .playlist(let change): await sounds.changePlaylist(change, run)
    case .overlay(.play(let request)): await sounds.play(request, run)
    case .overlay(.stop): await visits.edit(run, .stopOverlays)
    case .overlay(.pause): await visits.edit(run, .pauseOverlays)
    case .overlay(.resume): await visits.edit(run, .resumeOverlays)
    case .overlay(.volume(let gain, let seconds)): await setVolume(run, of: .overlay, over: seconds) { _ in gain }
    case .overlay(.repetition(let times, let delay)): await visits.edit(run, .overlayRepetition(times, delay: delay))
    case .gong(let cue): await sounds.strike(cue, run)
    case .effects(.volume(let gain, let seconds)): await setVolume(run, of: .effect, over: seconds) { _ in gain }
    case .effects(.stop): await visits.edit(run, .stopEffects)
    case .effects(.preload(let cues)): await sounds.preload(cues, run)
    case .effects(.unload(let cues)): sounds.unload(cues)
    case .music(.pause): await visits.edit(run, .pauseMusic)
    case .music(.resume): await visits.edit(run, .resumeMusic)
    case .music(.volume(let gain, let seconds)): await setVolume(run, of: .music, over: seconds) { _ in gain }
    case .cache(.clear): clearCache()
    case .metrics(let isReset, quietly: _): await emitMetrics(run, reset: isReset)
    }
  }

  /// - Parameter gain: receives the volume before.
  private func setVolume(
    _ run: CommandRun, of layer: Layer?, over seconds: Double, to gain: @escaping @Sendable (Gain) -> Gain
  ) async -> CommandOutcome {
    await visits.visit(run) { .ended($0.setVolume(of: layer, to: gain($0.volume(of: layer)), over: seconds)) }
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
    return await visits.visit(run) { control in
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
    case .playlist, .repetition, .reload: true
    default: false
    }
  }

  /// Whether an interruption does not stop it.
  fileprivate var outlastsInterruptions: Bool {
    switch self {
    case .playlist, .repetition, .crossfade, .extend, .reload, .effects(.preload): true
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
