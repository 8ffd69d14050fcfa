import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// The reports of a command: that it was accepted, and its outcome, both under one ID.
@Suite struct CommandReportTests {
  let library = TestLibrary(["a": .constant(0.5, length: 80_000), "b": .constant(0.25, length: 80_000)])

  private func reported(of commands: [(Double, [Command])]) async -> [[String]] {
    let stage = Programme.Stage("A", [track("a", 80_000), track("b", 80_000)])
    let played = await perform(programme([stage]), library, doing: TimedCommands(commands))
    return played.events.compactMap { event in
      guard case .command(let name, let id, let report) = event.event else { return nil }
      return [name, id, report.name]
    }
  }

  @Test func `a cancelled or coalesced command is reported under its own ID`() async {
    let reported = await reported(of: [(2, [.next, .next, .pause]), (3, [.resume]), (4, [.stop])])
    let taken = reported.filter { $0[2] == "accepted" }.map { Array($0[0...1]) }
    #expect(
      taken == [
        ["next", "op-0001"], ["next", "op-0002"], ["pause", "op-0003"], ["resume", "op-0004"], ["stop", "op-0005"],
      ])
    let outcomes = Dictionary(uniqueKeysWithValues: reported.filter { $0[2] != "accepted" }.map { ($0[1], $0[2]) })
    #expect(
      outcomes == [
        "op-0001": "coalesced", "op-0002": "cancelled", "op-0003": "done", "op-0004": "done", "op-0005": "done",
      ])
    for id in outcomes.keys { #expect(reported.filter { $0[1] == id }.map { $0[2] == "accepted" } == [true, false]) }
  }

  @Test func `the command that ends the session is reported as done before the end`() async {
    #expect(await reported(of: [(2, [.stop])]) == [["stop", "op-0001", "accepted"], ["stop", "op-0001", "done"]])
  }
}
