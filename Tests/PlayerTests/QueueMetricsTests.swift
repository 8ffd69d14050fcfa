import Schedule
import Synchronization
import Testing

@testable import Player

/// All values of the metrics, on a clock that only the tests advance.
struct QueueMetricsTests {
  @Test func `the percentiles of the last hundred are exact, those of the whole run within a thousandth`() async {
    let harness = QueueHarness()
    for milliseconds in 1...200 { await run(Int64(milliseconds), on: harness) }
    let execution = await harness.queue.metrics.execution
    #expect(execution.recent.p50 == 150)
    #expect(execution.recent.p95 == 195)
    #expect(execution.recent.p99 == 199)
    #expect(execution.recent.max == 200)
    #expect(execution.recent.mean == 150.5)
    #expect(execution.recent.count == 100)
    #expect(abs(execution.total.p50 - 100) <= 0.1)
    #expect(abs(execution.total.p95 - 190) <= 0.2)
    #expect(abs(execution.total.p99 - 198) <= 0.2)
    #expect(execution.total.max == 200)
    #expect(execution.total.mean == 100.5)
    #expect(execution.total.count == 200)
  }

  @Test(arguments: [
    (1, 1, 1, 1), (2, 1, 2, 2), (3, 2, 3, 3), (20, 10, 19, 20), (21, 11, 20, 21), (100, 50, 95, 99), (101, 51, 96, 100),
  ])
  func `a percentile is the nearest rank, for the last hundred and for all`(
    count: Int, p50: Int64, p95: Int64, p99: Int64
  ) {
    var recorder = DurationRecorder()
    // From the longest to the shortest, in nanoseconds that the histogram stores exactly.
    for duration in (1...Int64(count)).reversed() { recorder.record(duration) }
    let durations = recorder.durations
    #expect([durations.total.p50, durations.total.p95, durations.total.p99] == [p50, p95, p99].map(\.milliseconds))
    guard count <= 100 else { return }
    #expect(durations.recent == durations.total)
  }

  @Test func `all metrics are zero before the first operation`() async {
    let metrics = await QueueHarness().queue.metrics
    var expected = QueueMetrics()
    (expected.maxDepth, expected.recentPeakDepth) = (3, 0)
    #expect(metrics == expected)
  }

  @Test func `waiting is measured from arrival to start`() async {
    let harness = QueueHarness()
    let held = await harness.hold()
    let waiting = await harness.submit([harness.operation("volume"), harness.operation("gong")])
    harness.clock.advance(milliseconds: 40)
    await harness.letGo()
    _ = await (held.value, waiting.value)
    let wait = await harness.queue.metrics.wait
    #expect(wait.recent.max == 40)
    #expect(wait.recent.p50 == 40)
    #expect(wait.recent.count == 3)
    #expect(wait.total.mean == 80.0 / 3)
  }

  @Test func `utilization is busy time over elapsed time, however long the run`() async {
    let harness = QueueHarness()
    for _ in 0..<300 {
      await run(30, on: harness)
      harness.clock.advance(milliseconds: 70)
    }
    let metrics = await harness.queue.metrics
    #expect(abs(metrics.utilization - 0.3) < 1e-12)
    #expect(metrics.uptime == 30)
  }

  @Test func `reading the metrics waits for earlier operations and is not counted`() async {
    let harness = QueueHarness(maxDepth: 1)
    let (seen, queue) = (Seen(), harness.queue)
    let reader = Operation(name: "metrics", isCounted: false) { _ in
      seen.set(await queue.metrics)
      return .done
    }
    _ = await queue.perform([reader])
    var expected = QueueMetrics()
    (expected.maxDepth, expected.recentPeakDepth) = (1, 0)
    #expect(seen.metrics == expected)
    let held = await harness.hold()
    let waiting = await harness.submit([harness.operation("gong")])
    let reading = Task { await queue.perform([reader]) }
    let full = await harness.submit([harness.operation("seek")])
    #expect(await full.value == [.rejected(.queueFull(limit: 1))])
    harness.clock.advance(milliseconds: 40)
    await harness.letGo()
    _ = await (held.value, waiting.value)
    #expect(await reading.value == [.done])
    let metrics = await queue.metrics
    #expect(metrics.totalOperations == 2 && metrics.execution.recent.count == 2 && metrics.wait.recent.count == 2)
    #expect(metrics.operations.map(\.name) == ["hold", "gong"] && metrics.peakDepth == 1 && metrics.idle)
    #expect(harness.record.lines.allSatisfy { !$0.contains("metrics") })
  }

  private final class Seen: Sendable {
    private let found = Mutex<QueueMetrics?>(nil)
    var metrics: QueueMetrics? { found.withLock { $0 } }
    func set(_ metrics: QueueMetrics) { found.withLock { $0 = metrics } }
  }

  @Test func `an operation in progress counts as busy time`() async {
    let harness = QueueHarness()
    harness.clock.advance(milliseconds: 100)
    let held = await harness.hold()
    harness.clock.advance(milliseconds: 300)
    let metrics = await harness.queue.metrics
    #expect(metrics.utilization == 0.75)
    #expect(!metrics.idle && metrics.depth == 0)
    await harness.letGo()
    _ = await held.value
    #expect(await harness.queue.metrics.idle)
  }

  @Test func `every outcome of an operation is counted`() async {
    let harness = QueueHarness()
    let calls = [["next", "next"], ["edit"], ["volume"], ["jump"], ["gong"], ["pause"]]
    _ = await harness.play(calls, while: "next")
    _ = await harness.queue.perform([Operation(name: "bad") { _ in .rejected(.edit(.noActiveTrack)) }])
    let metrics = await harness.queue.metrics
    #expect(metrics.totalOperations == 8)
    #expect(metrics.coalesced == 1)
    #expect(metrics.rejected == 1)
    #expect(metrics.totalCancellations == 3)
    #expect(metrics.cancellationsByPriority == ["low": 0, "normal": 3, "high": 0, "critical": 0])
    #expect(metrics.totalFailures == 1)
    #expect(metrics.peakDepth == 3)
    #expect(metrics.execution.total.count == 5)
    #expect(metrics.operations.map(\.name) == ["next", "pause", "volume", "edit", "bad"])
    #expect(metrics.operations.map(\.outcome) == ["cancelled", "done", "done", "done", "rejected"])
    #expect(metrics.cancellations.map(\.name) == ["next", "jump", "next"])
    #expect(metrics.cancellations.map(\.by) == ["jump", "pause", "pause"])
  }

  @Test func `the recent peak depth covers the last minute`() async {
    let harness = QueueHarness()
    let held = await harness.hold()
    let waiting = await harness.submit([harness.operation("volume"), harness.operation("gong")])
    // They wait for two minutes, and the depth is 2 until the end of that time.
    harness.clock.advance(milliseconds: 120_000)
    #expect(await harness.queue.metrics.recentPeakDepth == 2)
    await harness.letGo()
    _ = await (held.value, waiting.value)
    harness.clock.advance(milliseconds: 60_000)
    #expect(await harness.queue.metrics.recentPeakDepth == 2)
    await run(10, on: harness)
    harness.clock.advance(milliseconds: 30_000)
    let metrics = await harness.queue.metrics
    #expect(metrics.recentPeakDepth == 1 && metrics.peakDepth == 2)
    harness.clock.advance(milliseconds: 30_001)
    #expect(await harness.queue.metrics.recentPeakDepth == 0)
  }

  @Test func `the execution time of a failed operation is counted`() async {
    let harness = QueueHarness()
    let clock = harness.clock
    let failing = Operation(name: "load") { _ in
      clock.advance(milliseconds: 7)
      return .rejected(.noValidTracksInPlaylist)
    }
    _ = await harness.queue.perform([failing])
    let metrics = await harness.queue.metrics
    #expect(metrics.execution.recent.max == 7)
    #expect(metrics.operations.map(\.execution) == [7])
  }

  @Test func `a reset restarts all metrics, including the recent percentiles`() async {
    let harness = QueueHarness()
    await run(10, on: harness)
    await harness.queue.resetMetrics()
    await run(20, on: harness)
    let metrics = await harness.queue.metrics
    #expect(metrics.totalOperations == 1)
    #expect(metrics.execution.total.max == 20)
    #expect(metrics.execution.total.count == 1)
    #expect(metrics.uptime == 0.02)
    #expect(metrics.utilization == 1)
    #expect(metrics.operations.map(\.id) == ["op-0002"])
  }

  @Test func `after a reset, the recent peak depth is at least the current depth`() async {
    let harness = QueueHarness()
    let held = await harness.hold()
    let waiting = await harness.submit([harness.operation("volume"), harness.operation("gong")])
    await harness.queue.resetMetrics()
    let metrics = await harness.queue.metrics
    #expect(metrics.depth == 2 && metrics.recentPeakDepth == 2)
    await harness.letGo()
    _ = await (held.value, waiting.value)
  }

  @Test func `a queue without metrics works and reports its maximum depth`() async {
    let queue = AsyncOperationQueue(maxDepth: 5, metrics: false)
    #expect(await queue.perform([Operation(name: "work") { _ in .done }]) == [.done])
    await queue.resetMetrics()
    var expected = QueueMetrics()
    expected.maxDepth = 5
    #expect(await queue.metrics == expected)
  }

  @Test func `after a day of one operation a second, the metrics hold no more than after a minute`() async {
    let clock = ManualClock()
    let queue = AsyncOperationQueue(clock: { clock.now })
    let work = Operation(name: "work") { _ in
      clock.advance(milliseconds: 1_000)
      return .done
    }
    for _ in 0..<864 { _ = await queue.perform(Array(repeating: work, count: 100)) }
    let metrics = await queue.metrics
    #expect(metrics.totalOperations == 86_400)
    #expect(metrics.execution.total.count == 86_400)
    #expect(metrics.execution.recent.count == 100)
    #expect(metrics.operations.count == 20)
    #expect(metrics.operations.last?.id == "op-5180")
    #expect(metrics.uptime == 86_400)
    #expect(metrics.utilization == 1)
  }

  @Test func `the last fifty state changes are kept, and a repeated state is not a change`() {
    let history = StateHistory()
    for second in 0..<60 {
      let state = second.isMultiple(of: 2) ? PlayerState.playing(track: nil) : .finished
      let event = PlayerEvent.state(state, previous: "idle")
      for part in [0, 0.5] {
        history.note(StampedEvent(run: Double(second) + part, session: Double(second), event: event))
      }
      history.note(StampedEvent(run: Double(second), session: Double(second), event: .crossfadeCompleted))
    }
    #expect(history.changes.map(\.run) == (10..<60).map(Double.init))
    #expect(history.changes.last?.state == "finished")
  }

  @Test func `the last hundred durations count as recent, and the top percentile of one duration is that duration`() {
    var recorder = DurationRecorder()
    for sample in 0..<86_400 { recorder.record(Int64(sample) * 1_000_000) }
    let recent = recorder.recentDistribution
    #expect(recent.count == 100 && recent.p50 == 86_349 && recent.max == 86_399 && recent.mean == 86_349.5)
    #expect(QueueMetrics.Distribution(sorted: [5_000_000]).p99 == 5)
  }

  private func run(_ milliseconds: Int64, on harness: QueueHarness) async {
    let clock = harness.clock
    let work = Operation(name: "work") { _ in
      clock.advance(milliseconds: milliseconds)
      return .done
    }
    _ = await harness.queue.perform([work])
  }
}
