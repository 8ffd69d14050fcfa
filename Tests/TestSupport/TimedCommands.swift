package import Player

/// A simple script: commands at run times. An entry without commands only records the state of the player.
package struct TimedCommands: CommandSource {
  private var due: [(run: Double, commands: [Command])]
  private let log: CommandLog

  /// - Parameter log: Receives the outcomes, and the state of the player whenever commands are due.
  package init(_ due: [(Double, [Command])], log: CommandLog = CommandLog()) {
    self.due = due.map { (run: $0.0, commands: $0.1) }
    self.log = log
  }

  package var wake: CommandSourceWake { due.first.map { .at(CommandSourceTime(run: $0.run)) } ?? .never }
  package var failures: [ScriptFailure] { [] }
  package var warnings: [String] { [] }

  package mutating func dueCommands(at moment: PlayerMoment, batch: Int) -> [Command] {
    log.add(moment)
    return due.removeFirst().commands
  }

  package mutating func note(_ event: StampedEvent) {}
  package mutating func settle(_ outcomes: [CommandOutcome], of batch: Int, at moment: PlayerMoment) {
    log.add(outcomes)
  }
  package mutating func end(at moment: PlayerMoment) {}
}
