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

  /// Executes simultaneous commands in order, and reports the outcome of each as an event.
  ///
  /// - Returns: one outcome for each command, in the same order.
  func perform(_ commands: [Command]) async -> [CommandOutcome] {
    let tickets = commands.map { CommandTicket($0) }
    let operations = zip(commands, tickets).map { operation(for: $0, $1) }
    let outcomes = await queue.perform(operations)
    for (ticket, outcome) in zip(tickets, outcomes) { await report(outcome, of: ticket) }
    if isLive, commands.contains(where: \.changesUpcoming) { Task { await prepareNext() } }
    return outcomes
  }

  private func operation(for command: Command, _ ticket: CommandTicket) -> Operation {
    Operation(
      name: command.name, priority: command.priority, navigation: command.navigation,
      outlastsInterruptions: command.outlastsInterruptions, endsLoads: command == .cancel,
      isCounted: !command.isAboutMetrics,
      onArrival: { [controlLoop] id, isAccepted in
        ticket.take(id)
        if isAccepted, !command.isQuiet { controlLoop.post { $0.accept(command.name, id: id) } }
      }
    ) { context in
      let outcome = await execute(command, context).refusing(command)
      // The outcome is reported before the next operation starts, so the events stay in order.
      await report(outcome, of: ticket)
      return outcome
    }
  }

  /// Reports an outcome once, and the error of a sound that it needed. An operation that ran has already reported its
  /// own.
  private func report(_ outcome: CommandOutcome, of ticket: CommandTicket) async {
    guard let id = ticket.takeID() else { return }
    _ = await controlLoop.perform { control in
      if case .rejected(let error) = outcome, error.kind == .sound { control.emit(.error(error), at: control.heard) }
      control.settle(ticket.name, id: id, outcome)
    }
  }

  private func execute(_ command: Command, _ context: OperationContext) async -> CommandOutcome {
    switch command {
    case .play, .resume: await resume(context)
    case .pause: await perform { $0.pause() }
    case .toggle: await toggle(context)
    case .cancel: 0 < context.endedLoads ? .done : .rejected(.nothingToCancel)
    case .stop: await perform { $0.finish(fade: 0, reason: .stopped) }
    case .finish(let fade): await perform { $0.finish(fade: fade, reason: .stopped) }
    case .next, .previous: await step(context)
    case .nextStage: await nextStage(context)
    case .previousStage: await edit(context, .stage(by: -1))
    case .jump(let index): await edit(context, .jump(index))
    case .seek(let seek): await edit(context, .seek(seek))
    case .goto(let stage, let position): await edit(context, .goto(stage: stage, at: position))
    case .volume(let gain, let seconds): await perform { $0.setVolume(of: nil, to: gain, over: seconds) }
    case .volumeStep(let step, let layer, let seconds):
      await perform {
        $0.setVolume(
          of: layer, to: step.applied(to: $0.volume(of: layer), upTo: .maximumVolume(of: layer)), over: seconds)
      }
    case .crossfade(let duration, let curve): await edit(context, .crossfade(seconds: duration, curve))
    case .repetition(let mode, let count): await edit(context, .repetition(mode, count: count))
    case .playlist(let change): await changePlaylist(change, context)
    case .overlay(.play(let request)): await play(request, context)
    case .overlay(.stop): await edit(context, .stopOverlays)
    case .overlay(.pause): await edit(context, .pauseOverlays)
    case .overlay(.resume): await edit(context, .resumeOverlays)
    case .overlay(.volume(let gain, let seconds)): await perform { $0.setVolume(of: .overlay, to: gain, over: seconds) }
    case .overlay(.repetition(let times, let delay)): await edit(context, .overlayRepetition(times, delay: delay))
    case .gong(let cue): await strike(cue, context)
    case .effects(.volume(let gain, let seconds)): await perform { $0.setVolume(of: .effect, to: gain, over: seconds) }
    case .effects(.stop): await edit(context, .stopEffects)
    case .effects(.preload(let cues)): await preload(cues, context)
    case .effects(.unload(let cues)): unload(cues)
    case .music(.pause): await edit(context, .pauseMusic)
    case .music(.resume): await edit(context, .resumeMusic)
    case .music(.volume(let gain, let seconds)): await perform { $0.setVolume(of: .music, to: gain, over: seconds) }
    case .cache(.clear): await clearCache()
    case .metrics(let isReset, quietly: _): await emitMetrics(reset: isReset)
    }
  }

  private func toggle(_ context: OperationContext) async -> CommandOutcome {
    if await controlLoop.perform({ $0.isPaused || $0.player.schedule.isMusicPaused }) ?? false {
      return await resume(context)
    }
    return await perform { $0.pause() }
  }

  /// Resumes the session, and also the music if it was paused separately.
  private func resume(_ context: OperationContext) async -> CommandOutcome {
    let outcome = await perform { $0.isPaused || !$0.player.schedule.isMusicPaused ? $0.resume() : .done }
    guard outcome == .done, await controlLoop.perform({ $0.player.schedule.isMusicPaused }) ?? false else {
      return outcome
    }
    return await edit(context, .resumeMusic)
  }

  private func clearCache() async -> CommandOutcome {
    opener.clear()
    return await perform { _ in .done }
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
  private func emitMetrics(reset isReset: Bool) async -> CommandOutcome {
    guard let metrics = await metrics else {
      return .rejected(.edit(.noEffect("the metrics are not recorded; start the player with metrics")))
    }
    if isReset { await queue.resetMetrics() }
    return await perform { control in
      control.emit(.metrics(metrics.with(control.player.timeline.totals.shortfalls)), at: control.heard)
      return .done
    }
  }

  /// Runs `body` on the control thread. The outcome is `rejected(.ended)` if the session has ended.
  func perform(_ body: @escaping @Sendable (inout Transport) -> CommandOutcome) async -> CommandOutcome {
    await controlLoop.perform(body) ?? .rejected(.ended)
  }

  /// Opens the sounds that an edit needs, and applies it.
  ///
  /// - Parameter load: the load of the sound that the edit plays, if it has begun.
  func edit(_ context: OperationContext, _ edit: Edit, continuing load: BegunLoad? = nil) async -> CommandOutcome {
    await attempt(edit, context, continuing: load).outcome
  }

  /// Like `edit`, but returns the sound that can't be opened as a failure.
  ///
  /// It suspends once. The control thread determines the sounds (`prepare`), a loader opens them, and the control
  /// thread applies the edit (`commit`) to the schedule, which may have advanced in the meantime. An edit that needs no
  /// sound is applied in the same pass.
  func attempt(
    _ edit: Edit, _ context: OperationContext, continuing load: BegunLoad? = nil
  ) async -> EditRequest.Result {
    await withCheckedContinuation { continuation in
      let request = EditRequest(edit: edit, context: context, load: load) { continuation.resume(returning: $0) }
      post(request) { prepare(request, &$0) }
    }
  }

  private func post(_ request: EditRequest, _ job: @escaping ControlLoop.Job) {
    controlLoop.post(job, orElse: { request.reply(.success(.rejected(.ended))) })
  }

  private func prepare(_ request: EditRequest, _ control: inout Transport) {
    switch control.arrivals(after: request.edit) {
    case .failure(let error):
      control.endLoad(request.load, with: .failure(.stopped(by: request.context.operation)))
      request.reply(.success(.rejected(error)))
    case .success(let arrivals):
      // A load would be useless for an edit that is refused, and the refusal would come late.
      if arrivals.isEmpty || !control.isChangeable { return commit(request, .success([]), &control) }
      if !opener.isReady(arrivals.map { PrimedSource.Need($0) }) {
        control.prepareCrossfade(to: arrivals)
        if isLive, case .step(let steps, _) = request.edit {
          let needs = control.needs(steps: Self.tries(of: steps))
          opener.cache.preload(needs, beside: needs.first, keepingFailures: true)
        }
      }
      let loads = arrivals.map { load(of: $0, for: request, &control) }
      opener.open(arrivals, for: request.edit, request.context, isOrdered: !isLive) { index, result in
        guard let load = loads[index] else { return false }
        controlLoop.post { $0.endLoad(load, with: result.map(\.seconds)) }
        return true
      } deliver: { opened in
        post(request) { control in
          // Where one sound has failed, the others are not needed any more.
          for load in loads { control.endLoad(load, with: .failure(.stopped(by: request.context.operation))) }
          commit(request, opened, &control)
        }
      }
    }
  }

  /// The load of a clip that an edit adds, which begins now unless it has begun; nil if its sound is open already.
  private func load(of clip: Clip, for request: EditRequest, _ control: inout Transport) -> BegunLoad? {
    if let load = request.load, load.source == clip.source { return load }
    if opener.isReady([PrimedSource.Need(clip)]) { return nil }
    return control.beginLoad(clip.source, clip.title, stage: clip.stage, for: request.context.operation)
  }

  private func commit(
    _ request: EditRequest, _ opened: Result<[PrimedSource], SoundOpener.Failure>, _ control: inout Transport
  ) {
    if case .success(let sounds) = opened, !sounds.isEmpty, isOutdated(request, sounds, control) {
      return prepare(request, &control)
    }
    control.endLoad(request.load, with: opened.map { _ in nil }.mapError(\.error))
    let result: EditRequest.Result =
      if let other = request.context.shouldStop { .success(.cancelled(by: other)) } else {
        opened.map { control.edit(request.edit, with: $0) }
      }
    if result.outcome != .done { control.abandonCrossfade() }
    request.reply(result)
  }

  /// Whether the edit now leads to a different track from the one that was opened, because the current track has ended in
  /// the meantime.
  private func isOutdated(_ request: EditRequest, _ sounds: [PrimedSource], _ control: borrowing Transport) -> Bool {
    guard request.context.shouldStop == nil, control.isChangeable,
      case .success(let arrivals) = control.arrivals(after: request.edit)
    else { return false }
    let opened = Set(sounds.map(\.need.source))
    return arrivals.contains { $0.layer == .music && !opened.contains($0.source) }
  }
}

/// An edit whose sounds are being opened, and the callback of its caller.
struct EditRequest: Sendable {
  typealias Result = Swift.Result<CommandOutcome, SoundOpener.Failure>

  var edit: Edit
  var context: OperationContext
  /// The load of the sound that the edit plays, if it has begun.
  var load: BegunLoad?
  /// Called exactly once, on any thread.
  var reply: @Sendable (Result) -> Void
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
  fileprivate var isQuiet: Bool { if case .metrics(_, quietly: true) = self { true } else { false } }

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

/// Makes sure that the outcome of a command is reported once: the first caller of `takeID` reports it.
private final class CommandTicket: Sendable {
  let name: String
  private let id = Mutex<String?>(nil)
  private let isQuiet: Bool

  init(_ command: Command) { (name, isQuiet) = (command.name, command.isQuiet) }

  /// Stores the ID that the queue has given the operation.
  func take(_ id: String) { self.id.withLock { $0 = isQuiet ? nil : id } }

  /// - Returns: the ID, once; nil if the outcome has been reported already, or is not reported at all.
  func takeID() -> String? { id.withLock { $0.take() } }
}

extension PlayerError {
  fileprivate static let nothingToCancel = edit(.noEffect("no command is waiting for a sound"))
}

extension EditRequest.Result {
  fileprivate var outcome: CommandOutcome {
    switch self {
    case .success(let outcome): outcome
    case .failure(let failure): failure.outcome
    }
  }
}
