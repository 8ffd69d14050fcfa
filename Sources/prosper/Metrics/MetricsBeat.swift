import Player

/// Requests a `metrics` event at regular intervals of run time, in addition to the commands of a script, if there is
/// one.
///
/// It makes no requests during a pause: on the virtual clock of a render they would follow each other without end,
/// because nothing else advances the time.
struct MetricsBeat: CommandSource {
  private let every: Double
  private var script: (any CommandSource)?
  private var next: Double
  private var isPaused = false
  /// Whether the last prompt ended with a request for metrics, whose outcome is not the script's.
  private var hasAsked = false

  /// - Parameter every: the interval in seconds of run time.
  init(every: Double, around script: (any CommandSource)?) {
    self.every = every
    self.script = script
    next = every
  }

  var wake: CommandSourceWake {
    let wish = script?.wake ?? .never
    if isPaused { return wish }
    return switch wish {
    case .at(let run): .at(run: min(run, next))
    case .watching(let until): .watching(until: min(until ?? next, next))
    case .never: .at(run: next)
    }
  }

  /// The script's commands, and a request for metrics if one is due. The request is quiet: its
  /// outcome causes no `command` event.
  mutating func prompt(at moment: PlayerMoment) -> [Command] {
    let commands = script?.prompt(at: moment) ?? []
    hasAsked = !isPaused && next <= moment.run
    if hasAsked { next = beat(after: moment.run) }
    return hasAsked ? commands + [.metrics(reset: false, quietly: true)] : commands
  }

  mutating func settle(_ outcomes: [CommandOutcome], at moment: PlayerMoment) {
    script?.settle(hasAsked ? outcomes.dropLast() : outcomes, at: moment)
  }

  mutating func note(_ event: StampedEvent) {
    if case .state(let state, _) = event.event { rest(state.canResume, at: event.run) }
    script?.note(event)
  }

  /// Starts and ends a rest; the interval continues on the same grid afterwards.
  private mutating func rest(_ isResting: Bool, at run: Double) {
    if isPaused, !isResting { next = beat(after: run) }
    isPaused = isResting
  }

  /// The next multiple of the interval after a run time.
  private func beat(after run: Double) -> Double { ((run / every).rounded(.down) + 1) * every }

  mutating func end(at moment: PlayerMoment) { script?.end(at: moment) }

  var failures: [String] { script?.failures ?? [] }
  var warnings: [String] { script?.warnings ?? [] }
}
