import Player
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

/// A live player asks a script for commands while earlier ones still run.
@Suite struct ScriptBatchesTests {
  private func moment(_ run: Double) -> PlayerMoment { PlayerMoment(run: run, session: run, state: "playing") }

  @Test func `a command whose outcome is late delays only the lines that wait for it`() throws {
    let reader = ScriptReader(scope: CommandReaderTests.scope, catalogue: catalogue)
    let text = """
      {"at":1,"do":"next"}
      {"after":"1s","do":"resume"}
      {"at":2,"do":"pause"}
      {"at":2,"expect":{"outcome":"rejected"}}
      """
    var script = ScriptRunner(try #require(reader.read(text: text, path: "s", folder: "/").script))
    #expect(script.dueCommands(at: moment(1), batch: 1) == [.next])
    #expect(script.dueCommands(at: moment(2), batch: 2) == [.pause])
    script.settle([.rejected(.ended)], of: 2, at: moment(2.1))
    #expect(script.failures.isEmpty && script.warnings.isEmpty)
    script.settle([.done], of: 1, at: moment(5))
    #expect(script.dueCommands(at: moment(5.9), batch: 3) == [])
    #expect(script.dueCommands(at: moment(6), batch: 4) == [.resume])
  }
}

/// Calls of a player that waits for the outcomes before it asks for more commands, as a render does.
extension ScriptRunner {
  mutating func dueCommands(at moment: PlayerMoment) -> [Command] { dueCommands(at: moment, batch: 0) }
  mutating func settle(_ outcomes: [CommandOutcome], at moment: PlayerMoment) { settle(outcomes, of: 0, at: moment) }
}
