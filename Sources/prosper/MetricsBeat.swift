import Player

/// Has the queue's figures told again and again, beside a script or without one. It rests in a pause, in which a render
/// would otherwise never end.
struct MetricsBeat: Prompter {
  private let every: Double
  private var script: (any Prompter)?
  private var next: Double
  private var isPaused = false
  /// Whether the figures were the last thing that was asked for.
  private var hasAsked = false

  /// - Parameter every: seconds of run time.
  init(every: Double, around script: (any Prompter)?) {
    self.every = every
    self.script = script
    next = every
  }

  var wake: PrompterWake {
    let wish = script?.wake ?? .never
    if isPaused { return wish }
    return switch wish {
    case .at(let run): .at(run: min(run, next))
    case .watching(let until): .watching(until: min(until ?? next, next))
    case .never: .at(run: next)
    }
  }

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

  private mutating func rest(_ isResting: Bool, at run: Double) {
    if isPaused, !isResting { next = beat(after: run) }
    isPaused = isResting
  }

  private func beat(after run: Double) -> Double { ((run / every).rounded(.down) + 1) * every }

  mutating func end(at moment: PlayerMoment) { script?.end(at: moment) }

  var failures: [String] { script?.failures ?? [] }
  var warnings: [String] { script?.warnings ?? [] }
}
