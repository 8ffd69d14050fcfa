import Engine
import Signal
import Synchronization

/// How each command is carried out: what has to be opened is opened first, then one edit is made on the control thread.
struct CommandCarrier: Sendable {
  let conductor: Conductor
  let opener: Opener
  let queue: AsyncOperationQueue

  /// Carries commands of one instant out in order, and tells what became of each.
  func perform(_ commands: [Command]) async -> [CommandOutcome] {
    let tellings = commands.map { Telling(of: $0) }
    let operations = zip(commands, tellings).map { operation(for: $0, telling: $1) }
    let outcomes = await queue.perform(operations)
    for (telling, outcome) in zip(tellings, outcomes) { await tell(outcome, of: telling, id: "") }
    return outcomes
  }

  private func operation(for command: Command, telling: Telling) -> Operation {
    Operation(
      name: command.name, priority: command.priority, navigation: command.navigation, isCounted: !command.isAboutMetrics
    ) { context in
      let outcome = await carryOut(command, context).refusing(command)
      // Before the next operation begins: the events stay in the order of what happens.
      await tell(outcome, of: telling, id: context.id)
      return outcome
    }
  }

  /// Tells an outcome once: of what never ran, when the queue has settled it.
  private func tell(_ outcome: CommandOutcome, of telling: Telling, id: String) async {
    guard telling.isFirst() else { return }
    _ = await conductor.turn { control in
      control.emit(.command(name: telling.command, id: id, .ended(outcome)), at: control.heard)
    }
  }

  private func carryOut(_ command: Command, _ context: OperationContext) async -> CommandOutcome {
    switch command {
    case .play, .resume: await turn { $0.resume() }
    case .pause: await turn { $0.pause() }
    case .toggle: await turn { $0.isPaused ? $0.resume() : $0.pause() }
    case .stop: await turn { $0.finish(fade: 0, reason: .stopped) }
    case .finish(let fade): await turn { $0.finish(fade: fade, reason: .stopped) }
    case .next, .previous: await step(context)
    case .nextStage: await edit(context, .stage(by: 1))
    case .previousStage: await edit(context, .stage(by: -1))
    case .jump(let index): await edit(context, .jump(index))
    case .seek(let seek): await edit(context, .seek(seek))
    case .goto(let stage, let position): await edit(context, .goto(stage: stage, at: position))
    default: await carryOutSetting(command, context)
    }
  }

  private func carryOutSetting(_ command: Command, _ context: OperationContext) async -> CommandOutcome {
    switch command {
    case .volume(let gain, let seconds): await turn { $0.setVolume(of: nil, to: gain, over: seconds) }
    case .overlay(.volume(let gain, let seconds)): await turn { $0.setVolume(of: .overlay, to: gain, over: seconds) }
    case .effects(.volume(let gain, let seconds)): await turn { $0.setVolume(of: .effect, to: gain, over: seconds) }
    case .crossfade(let duration, let curve): await edit(context, .crossfade(seconds: duration, curve))
    case .repetition(let mode, let count): await edit(context, .repetition(mode, count: count))
    case .playlist(let change): await changePlaylist(change, context)
    case .overlay(let overlay): await carryOut(overlay, context)
    case .gong(let cue): await strike(cue, context)
    case .effects(let effects): await carryOut(effects, context)
    case .music(.pause): await edit(context, .pauseMusic)
    case .music(.resume): await edit(context, .resumeMusic)
    case .metrics(let isReset, quietly: _): await tellMetrics(reset: isReset)
    default: .rejected(.ended)
    }
  }

  private func tellMetrics(reset isReset: Bool) async -> CommandOutcome {
    let metrics = await queue.metrics
    if isReset { await queue.resetMetrics() }
    return await turn { control in
      control.emit(.metrics(metrics.with(control.player.narrator.totals.shortfalls)), at: control.heard)
      return .done
    }
  }

  func turn(_ body: @escaping @Sendable (inout Control) -> CommandOutcome) async -> CommandOutcome {
    await conductor.turn(body) ?? .rejected(.ended)
  }

  /// Opens what an edit needs, and makes it.
  func edit(_ context: OperationContext, _ edit: ScoreChange) async -> CommandOutcome {
    await attempt(edit, context).outcome
  }

  /// The same, with the source that can't be opened told apart.
  func attempt(
    _ edit: ScoreChange, _ context: OperationContext
  ) async -> Result<CommandOutcome, Opener.Failure> {
    guard let needs = await conductor.turn({ $0.needs(of: edit) }) else { return .success(.rejected(.ended)) }
    switch needs {
    case .failure(let error): return .success(.rejected(error))
    case .success(let needs):
      let mayTakeLong = !opener.isReady(needs)
      if mayTakeLong { _ = await conductor.turn { $0.prepareCrossfade(by: edit) } }
      let result = await make(edit, opening: needs, context)
      if mayTakeLong, result.outcome != .done { _ = await conductor.turn { $0.abandonCrossfade() } }
      return result
    }
  }

  private func make(
    _ edit: ScoreChange, opening needs: [PrimedSource.Need], _ context: OperationContext
  ) async -> Result<CommandOutcome, Opener.Failure> {
    let opened = await opener.open(needs, for: context)
    if let other = context.shouldStop { return .success(.cancelled(by: other)) }
    switch opened {
    case .failure(let failure): return .failure(failure)
    case .success(let primed): return .success(await turn { $0.edit(with: primed, by: edit) })
    }
  }
}

extension Command {
  /// What overtakes navigation, and keeps its order among its like.
  fileprivate var priority: OperationPriority {
    switch self {
    case .pause, .toggle, .stop, .finish: .high
    default: .normal
    }
  }

  fileprivate var isQuiet: Bool { if case .metrics(_, quietly: true) = self { true } else { false } }

  /// What a pause, a stop or a finish cancels as long as it waits.
  fileprivate var navigation: Navigation? {
    switch self {
    case .next: .step(1)
    case .previous: .step(-1)
    case .goto: .other
    case .jump, .seek, .nextStage, .previousStage, .play, .resume: .within
    default: nil
    }
  }
}

/// Whether a command's outcome has been told, or need not be.
private final class Telling: Sendable {
  let command: String
  private let isTold: Atomic<Bool>

  init(of command: Command) {
    self.command = command.name
    isTold = Atomic(command.isQuiet)
  }

  func isFirst() -> Bool { !isTold.exchange(true, ordering: .acquiringAndReleasing) }
}

extension Result<CommandOutcome, Opener.Failure> {
  fileprivate var outcome: CommandOutcome {
    switch self {
    case .success(let outcome): outcome
    case .failure(let failure): failure.outcome
    }
  }
}
