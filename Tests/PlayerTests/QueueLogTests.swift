import Schedule
import Testing

@testable import Player

struct QueueLogTests {
  @Test func `an operation is logged when it is enqueued, started and completed`() async {
    let harness = QueueHarness()
    let clock = harness.clock
    _ = await harness.queue.perform([
      Operation(name: "volume") { _ in
        clock.advance(milliseconds: 12)
        return .done
      }
    ])
    #expect(
      harness.record.lines == [
        "debug [OpQueue] Enqueue 'volume' (depth: 1/3, id: op-0001)",
        "debug [OpQueue] Start 'volume' (waited: 0ms, id: op-0001)",
        "debug [OpQueue] Complete 'volume' (exec: 12ms, id: op-0001)",
      ])
  }

  @Test func `a cancellation is logged with both priorities, and a full queue as an error`() async {
    let harness = QueueHarness()
    _ = await harness.play([["next"], ["next"], ["pause"], ["volume"], ["volume"], ["gong"]])
    #expect(
      harness.record.lines.filter { !$0.contains("Start") && !$0.contains("Complete") } == [
        "debug [OpQueue] Enqueue 'hold' (depth: 1/3, id: op-0001)",
        "debug [OpQueue] Enqueue 'next' (depth: 1/3, id: op-0002)",
        "debug [OpQueue] Enqueue 'next' (depth: 1/3, id: op-0003)",
        "debug [OpQueue] Coalesced 'next' (into: op-0003, steps: 2, id: op-0002)",
        "debug [OpQueue] Enqueue 'pause' (depth: 1/3, id: op-0004)",
        "debug [OpQueue] Cancelled 'next' (priority: normal < high, by: 'pause', id: op-0003)",
        "debug [OpQueue] Enqueue 'volume' (depth: 2/3, id: op-0005)",
        "debug [OpQueue] Enqueue 'volume' (depth: 3/3, id: op-0006)",
        "info [OpQueue] Peak depth: 3/3 (warning: > 80%)",
        "error [OpQueue] Queue full (3/3): 'gong' rejected (id: op-0007)",
      ])
  }

  @Test func `long waits and slow operations are logged as warnings`() async {
    let harness = QueueHarness()
    let held = await harness.hold()
    let waiting = await harness.submit([harness.operation("volume")])
    harness.clock.advance(milliseconds: 1_500)
    await harness.letGo()
    _ = await (held.value, waiting.value)
    #expect(
      harness.record.lines.filter { $0.hasPrefix("warning") } == [
        "warning [OpQueue] Slow operation: 'hold' (exec: 1500ms, id: op-0001)",
        "warning [OpQueue] Long wait: 'volume' (waited: 1500ms, id: op-0002)",
      ])
  }

  @Test func `utilization and execution times are checked at every tenth operation`() async {
    let harness = QueueHarness()
    let clock = harness.clock
    for number in 1...20 {
      let work = Operation(name: "work") { _ in
        clock.advance(milliseconds: number <= 10 ? 2 : 9)
        return .done
      }
      _ = await harness.queue.perform([work])
    }
    #expect(
      harness.record.lines.filter { !$0.hasPrefix("debug") } == [
        "warning [OpQueue] High utilization: 100% (p95 wait: 0ms)",
        "warning [OpQueue] High utilization: 100% (p95 wait: 0ms)",
        "info [OpQueue] p95 exec time increased: 2ms to 9ms",
      ])
  }

  @Test func `a failure is logged as an error with its cause`() async {
    let harness = QueueHarness()
    _ = await harness.queue.perform([Operation(name: "next") { _ in .rejected(.edit(.noNextTrack)) }])
    let cause = "\(PlayerError.edit(.noNextTrack))"
    #expect(harness.record.lines.last == "error [OpQueue] Failed 'next' (exec: 0ms, error: \(cause), id: op-0001)")
  }
}
