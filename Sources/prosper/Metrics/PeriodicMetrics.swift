import ProsperKit

/// Requests a `metrics` event at regular intervals of run time, in addition to the commands of a script, if there is
/// one.
///
/// It makes no requests while the session is paused. On the virtual clock of a render, only requests would advance the
/// time then, so they would follow each other forever.
struct PeriodicMetrics: CommandSource {
  private let every: Double
  private var script: (any CommandSource)?
  /// The number of the next request, from 1.
  private var number = 1.0
  private var isPaused = false
  /// The batches whose last command is a request for metrics, which is not the script's.
  private var requests: Set<Int> = []

  /// - Parameter every: the interval in seconds of run time.
  init(every: Double, around script: (any CommandSource)?) {
    self.every = every
    self.script = script
  }

  /// The run time of the next request: a multiple of the interval.
  private var next: Double { number * every }

  var wake: CommandSourceWake {
    let scriptWake = script?.wake ?? .never
    if isPaused { return scriptWake }
    let time = scriptWake.time.flatMap { $0.run <= next ? $0 : nil } ?? CommandSourceTime(run: next)
    if case .watching = scriptWake { return .watching(until: time) }
    return .at(time)
  }

  var isExhausted: Bool { script?.isExhausted ?? true }

  /// The script's commands, and a request for metrics if one is due. The request emits no `command` events.
  mutating func dueCommands(at moment: PlayerMoment, batch: Int) -> [Command] {
    let commands = script?.dueCommands(at: moment, batch: batch) ?? []
    guard !isPaused, next <= moment.run else { return commands }
    advance(past: moment.run)
    requests.insert(batch)
    return commands + [.metrics(reset: false, quietly: true)]
  }

  mutating func settle(_ outcomes: [CommandOutcome], of batch: Int, at moment: PlayerMoment) {
    script?.settle(requests.remove(batch) == nil ? outcomes : outcomes.dropLast(), of: batch, at: moment)
  }

  mutating func note(_ event: StampedEvent) {
    setPaused(event.isPaused, at: event.run)
    script?.note(event)
  }

  /// Records the beginning or end of a pause. After it, requests follow at multiples of the interval again.
  private mutating func setPaused(_ isPausing: Bool, at run: Double) {
    if isPaused, !isPausing { advance(past: run) }
    isPaused = isPausing
  }

  /// Makes the next request the first one after a run time. The quotient alone can be too small by 1, because it is
  /// rounded.
  private mutating func advance(past run: Double) {
    number = max(number, (run / every).rounded(.down))
    while next <= run { number += 1 }
  }

  mutating func end(at moment: PlayerMoment) { script?.end(at: moment) }

  var failures: [ScriptFailure] { script?.failures ?? [] }
  var warnings: [String] { script?.warnings ?? [] }
}
