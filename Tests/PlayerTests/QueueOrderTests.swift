import Testing

@testable import Player

/// Which operations run, in which order, and with which outcomes, for all combinations of operations in the queue.
struct QueueOrderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The name of an operation that runs while the calls arrive.
    var running = "hold"
    var calls: [[String]]
    var ran: [String]
    /// In the order of the calls; in `stopping`, after the outcome of the running operation.
    var outcomes: [CommandOutcome]

    var testDescription: String { name }
  }

  static let full = CommandOutcome.rejected(.queueFull(limit: 3))

  static let overtaking: [Case] = [
    Case(
      name: "operations of equal priority keep their order", calls: [["volume"], ["gong"], ["next"]],
      ran: ["volume", "gong", "next 1"],
      outcomes: [.done, .done, .done]),
    Case(
      name: "higher priorities go first", calls: [["edit"], ["volume"], ["pause"], ["lost"]],
      ran: ["lost", "pause", "volume", "edit"], outcomes: [.done, .done, .done, .done]),
    Case(
      name: "one instant keeps its order", calls: [["edit", "volume", "pause"]],
      ran: ["edit", "volume", "pause"], outcomes: [.done, .done, .done]),
    Case(
      name: "one instant with a pause runs before what waits", calls: [["volume"], ["edit", "pause", "gong"]],
      ran: ["edit", "pause", "volume", "gong"], outcomes: [.done, .done, .done, .done]),
    Case(
      name: "a critical operation waits for those before it in its instant", calls: [["pause"], ["gong", "lost"]],
      ran: ["gong", "lost", "pause"], outcomes: [.done, .done, .done]),
    Case(
      name: "navigation after a pause is kept", calls: [["pause"], ["next"]], ran: ["pause", "next 1"],
      outcomes: [.done, .done]),
  ]

  static let resuming: [Case] = [
    Case(
      name: "a play brings forward the moves before it", calls: [["volume"], ["next"], ["play"]],
      ran: ["next 1", "play", "volume"], outcomes: [.done, .done, .done]),
    Case(
      name: "a play brings forward no moves of its own call", calls: [["seek", "volume", "jump", "play", "next"]],
      ran: ["volume", "jump", "play", "next 1"],
      outcomes: [.cancelled(by: "jump"), .done, .done, .done, .done]),
    Case(
      name: "a play takes a move along with what comes before it in its instant",
      calls: [["gong"], ["volume", "next", "edit"], ["play"]], ran: ["volume", "next 1", "play", "gong", "edit"],
      outcomes: [.done, .done, .done, .done, .done]),
    Case(
      name: "a step after a play is not merged with one before it", calls: [["next", "play", "next"]],
      ran: ["next 1", "play", "next 1"], outcomes: [.done, .done, .done]),
    Case(
      name: "a pause cancels a waiting play and the moves before it", calls: [["next"], ["play"], ["pause"]],
      ran: ["pause"], outcomes: [.cancelled(by: "pause"), .cancelled(by: "pause"), .done]),
    Case(
      name: "a play after a pause is kept", calls: [["pause"], ["play"]], ran: ["pause", "play"],
      outcomes: [.done, .done]),
  ]

  static let cancelling: [Case] = [
    Case(
      name: "next, next, pause leaves only the pause", calls: [["next"], ["next"], ["pause"]], ran: ["pause"],
      outcomes: [.coalesced, .cancelled(by: "pause"), .done]),
    Case(
      name: "next, next, pause in one call leaves only the pause", calls: [["next", "next", "pause"]], ran: ["pause"],
      outcomes: [.coalesced, .cancelled(by: "pause"), .done]),
    Case(
      name: "a pause cancels every kind of move and nothing else",
      calls: [["jump", "seek", "volume", "edit", "pause"]],
      ran: ["volume", "edit", "pause"],
      outcomes: [.cancelled(by: "pause"), .cancelled(by: "pause"), .done, .done, .done]),
    Case(
      name: "a move of the same priority is kept", calls: [["leap"], ["pause"]], ran: ["leap", "pause"],
      outcomes: [.done, .done]),
    Case(
      name: "a critical operation cancels a move of high priority", calls: [["leap"], ["lost"]], ran: ["lost"],
      outcomes: [.cancelled(by: "lost"), .done]),
    Case(
      name: "a jump replaces the waiting moves", calls: [["next"], ["jump"], ["goto"]], ran: ["goto"],
      outcomes: [.cancelled(by: "jump"), .cancelled(by: "goto"), .done]),
  ]

  static let coalescing: [Case] = [
    Case(
      name: "ten nexts become one move", calls: Array(repeating: ["next"], count: 10), ran: ["next 10"],
      outcomes: Array(repeating: .coalesced, count: 9) + [.done]),
    Case(
      name: "steps add up to a net move", calls: [["next"], ["next"], ["next"], ["previous"]], ran: ["previous 2"],
      outcomes: [.coalesced, .coalesced, .coalesced, .done]),
    Case(
      name: "next and previous cancel out", calls: [["next"], ["previous"]], ran: [], outcomes: [.coalesced, .done]),
    Case(
      name: "a step counts alone after two steps cancel out", calls: [["previous", "next", "next"]], ran: ["next 1"],
      outcomes: [.coalesced, .done, .done]),
    Case(
      name: "steps after a jump start from its target", calls: [["jump"], ["next"], ["next"]], ran: ["jump", "next 2"],
      outcomes: [.done, .coalesced, .done]),
    Case(
      name: "an operation between two steps runs before their sum", calls: [["next"], ["volume"], ["next"]],
      ran: ["volume", "next 2"],
      outcomes: [.coalesced, .done, .done]),
    Case(
      name: "seeks do not add up", calls: [["seek"], ["seek"]], ran: ["seek", "seek"], outcomes: [.done, .done]),
  ]

  static let depth: [Case] = [
    Case(
      name: "the fourth waiting operation is rejected", calls: [["volume"], ["gong"], ["edit"], ["volume"]],
      ran: ["volume", "gong", "edit"], outcomes: [.done, .done, .done, full]),
    Case(
      name: "one call is not rejected for its own length", calls: [["volume", "gong", "volume", "gong", "edit"]],
      ran: ["volume", "gong", "volume", "gong", "edit"], outcomes: [.done, .done, .done, .done, .done]),
    Case(
      name: "a full queue accepts operations of high priority",
      calls: [["volume"], ["volume"], ["volume"], ["pause"], ["lost"], ["gong"]],
      ran: ["lost", "pause", "volume", "volume", "volume"], outcomes: [.done, .done, .done, .done, .done, full]),
    Case(
      name: "a step that adds to a waiting one needs no room",
      calls: [["volume"], ["gong"], ["next"], ["next"], ["next"], ["jump"]],
      ran: ["volume", "gong", "jump"],
      outcomes: [.done, .done, .coalesced, .coalesced, .cancelled(by: "jump"), .done]),
    Case(
      name: "a pause makes room for the operations after it",
      calls: [["seek"], ["seek"], ["seek"], ["pause", "volume"]],
      ran: ["pause", "volume"],
      outcomes: [.cancelled(by: "pause"), .cancelled(by: "pause"), .cancelled(by: "pause"), .done, .done]),
  ]

  static let stopping: [Case] = [
    Case(
      name: "a pause stops the running next", running: "next", calls: [["next"], ["pause"]],
      ran: ["next 1", "pause"],
      outcomes: [.cancelled(by: "pause"), .cancelled(by: "pause"), .done]),
    Case(
      name: "the outcome names the first operation that asks for a stop", running: "jump",
      calls: [["pause"], ["lost"]],
      ran: ["jump", "lost", "pause"], outcomes: [.cancelled(by: "pause"), .done, .done]),
    Case(
      name: "a next does not stop the running next", running: "next", calls: [["next"]], ran: ["next 1", "next 1"],
      outcomes: [.done, .done]),
    Case(
      name: "a pause stops only navigation", running: "volume", calls: [["pause"]],
      ran: ["volume", "pause"], outcomes: [.done, .done]),
    Case(
      name: "a critical operation stops any running operation", running: "volume", calls: [["lost"]],
      ran: ["volume", "lost"],
      outcomes: [.cancelled(by: "lost"), .done]),
    Case(
      name: "an interruption does not stop a change of what plays later", running: "volume",
      calls: [["gong"], ["cork"]], ran: ["volume", "cork", "gong"], outcomes: [.done, .done, .done]),
    Case(
      name: "an interruption stops navigation", running: "jump", calls: [["cork"]],
      ran: ["jump", "cork"], outcomes: [.cancelled(by: "cork"), .done]),
    Case(
      name: "an interruption stops a gong", running: "gong", calls: [["cork"]],
      ran: ["gong", "cork"], outcomes: [.cancelled(by: "cork"), .done]),
    Case(
      name: "a stop ends such a change, whatever comes after it", running: "volume",
      calls: [["lost"], ["cork"]], ran: ["volume", "lost", "cork"], outcomes: [.cancelled(by: "lost"), .done, .done]),
    Case(
      name: "a pause stops the running play", running: "play", calls: [["pause"]], ran: ["play", "pause"],
      outcomes: [.cancelled(by: "pause"), .done]),
    Case(
      name: "equal priority stops nothing", running: "leap", calls: [["pause"]], ran: ["leap", "pause"],
      outcomes: [.done, .done]),
  ]

  @Test(arguments: overtaking + resuming + cancelling + coalescing + depth)
  func `the operations in the queue run in the expected order, each with one outcome`(_ example: Case) async {
    let result = await QueueHarness().play(example.calls, while: example.running)
    #expect(result.ran == [example.running] + example.ran)
    let isStopped = example.calls.joined().contains("lost")
    #expect(result.outcomes == [isStopped ? .cancelled(by: "lost") : .done] + example.outcomes)
  }

  @Test(arguments: stopping)
  func `higher priority stops running navigation, and critical priority stops any operation`(_ example: Case) async {
    let result = await QueueHarness().play(example.calls, while: example.running)
    #expect(result.ran == example.ran)
    #expect(result.outcomes == example.outcomes)
  }

  @Test func `an empty call has no outcomes`() async {
    #expect(await QueueHarness().queue.perform([]) == [])
  }
}
