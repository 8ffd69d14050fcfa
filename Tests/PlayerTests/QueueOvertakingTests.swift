import Testing

@testable import Player

/// Urgent operations while another one waits for a load that does not end.
struct QueueOvertakingTests {
  @Test(arguments: ["pause", "finish", "cork", "play"])
  func `an urgent operation overtakes one that waits for a load, and what waits behind it`(_ name: String)
    async
  {
    let harness = QueueHarness()
    let held = await harness.hold("volume", isLoading: true)
    let waiting = await harness.submit([harness.operation("edit")])
    #expect(await harness.queue.perform([harness.operation(name)]) == [.done])
    #expect(harness.record.ran == ["volume", name])
    await harness.letGo()
    #expect(await held.value == [.done])
    #expect(await waiting.value == [.done])
    #expect(harness.record.ran == ["volume", name, "edit"])
    #expect(await harness.queue.metrics.idle)
  }

  @Test func `a pause of the same instant does not wait for a load before it`() async {
    let harness = QueueHarness()
    let held = await harness.hold("hold")
    var load = harness.operation("gong")
    let (entered, gate) = (Gate(), Gate())
    load.body = { context in
      context.waitForLoad { _ in }
      await entered.open()
      await gate.pass()
      return .done
    }
    let both = await harness.submit([load, harness.operation("pause")])
    #expect(harness.record.ran == ["hold"])
    await harness.letGo()
    _ = await held.value
    await entered.pass()
    while harness.record.ran != ["hold", "pause"] { await Task.yield() }
    await gate.open()
    #expect(await both.value == [.done, .done])
  }

  @Test func `a stop ends the load that it overtakes`() async {
    let harness = QueueHarness()
    let held = await harness.hold("gong", isLoading: true)
    #expect(await harness.queue.perform([harness.operation("lost")]) == [.done])
    #expect(await held.value == [.cancelled(by: "lost")])
  }

  @Test func `a play waits for the navigation before it, and a pause ends both`() async {
    let harness = QueueHarness()
    let held = await harness.hold("next", isLoading: true)
    let play = await harness.submit([harness.operation("play")])
    #expect(harness.record.ran == ["next 1"])
    #expect(await harness.queue.perform([harness.operation("pause")]) == [.done])
    #expect(await held.value == [.cancelled(by: "pause")])
    #expect(await play.value == [.cancelled(by: "pause")])
  }

  @Test func `other operations wait for a load, and in a render urgent ones wait, too`() {
    for (name, overtakes) in [("volume", true), ("next", true), ("pause", false)] {
      var backlog = OperationBacklog(maxDepth: 3)
      let harness = QueueHarness()
      _ = backlog.take([harness.operation("gong")], at: 0)
      let gong = backlog.begin(at: 0)
      if overtakes, let gong { backlog.load(gong.number) }
      _ = backlog.take([harness.operation(name)], at: 0)
      #expect(backlog.next == nil)
      if let gong { backlog.end(gong.number) }
      #expect(backlog.begin(at: 0)?.operation.name == name)
    }
  }

  @Test func `an operation learns whether another one has to end before it`() async {
    let harness = QueueHarness()
    let (arrivals, sender) = AsyncStream.makeStream(of: Operation.Arrival.self)
    let held = await harness.hold("volume")
    var noted = harness.operation("edit")
    noted.onArrival = { sender.yield($1) }
    let waiting = await harness.submit([noted])
    await harness.letGo()
    _ = await (held.value, waiting.value)
    _ = await harness.queue.perform([noted, noted])
    sender.finish()
    #expect(await arrivals.reduce(into: []) { $0.append($1) } == [.waits, .begins, .waits])
  }

  @Test func `a render does not overtake`() async {
    let harness = QueueHarness(overtakes: false)
    let held = await harness.hold("gong", isLoading: true)
    let pause = await harness.submit([harness.operation("pause")])
    for _ in 0..<100 { await Task.yield() }
    #expect(harness.record.ran == ["gong"])
    await harness.letGo()
    #expect(await held.value == [.done])
    #expect(await pause.value == [.done])
    #expect(harness.record.ran == ["gong", "pause"])
  }
}
