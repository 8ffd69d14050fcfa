import Synchronization
import Testing

@testable import Player

/// The queue with many concurrent callers, on all available threads. These tests also run under the thread sanitizer.
struct QueueConcurrencyTests {
  @Test func `ten concurrent operations never overlap, and each has its outcome`() async {
    let queue = AsyncOperationQueue(maxDepth: 10)
    let inside = Occupancy()
    let outcomes = await withTaskGroup(of: [CommandOutcome].self) { group in
      for number in 0..<10 {
        group.addTask { await queue.perform([Self.visit(inside, name: "visit \(number)")]) }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(inside.most == 1)
    #expect(await queue.metrics.execution.total.count == 10)
  }

  @Test func `operations of a thousand callers with all priorities run one at a time, and none is lost`() async {
    let queue = AsyncOperationQueue(maxDepth: 1_000)
    let inside = Occupancy()
    let outcomes = await withTaskGroup(of: [CommandOutcome].self) { group in
      for number in 0..<1_000 {
        group.addTask {
          var visit = Self.visit(inside, name: "visit")
          visit.priority = OperationPriority.allCases[number % 4]
          visit.navigation = number % 3 == 0 ? .step(1) : nil
          return await queue.perform([visit])
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    let metrics = await queue.metrics
    #expect(outcomes.count == 1_000)
    #expect(inside.most == 1)
    #expect(inside.visits == metrics.execution.total.count)
    #expect(metrics.totalOperations == 1_000)
    #expect(metrics.idle && metrics.depth == 0)
  }

  @Test func `a cancelled caller still receives the outcome of its operation`() async {
    let harness = QueueHarness()
    let held = await harness.hold()
    let waiting = await harness.submit([harness.operation("volume")])
    waiting.cancel()
    held.cancel()
    await harness.letGo()
    #expect(await waiting.value == [.done])
    #expect(await held.value == [.done])
    #expect(harness.record.ran == ["hold", "volume"])
  }

  @Test func `an operation is not affected by the cancellation of its caller`() async {
    let queue = AsyncOperationQueue()
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await queue.perform([Operation(name: "work") { _ in Task.isCancelled ? .cancelled(by: "caller") : .done }])
    }
    #expect(await caller.value == [.done])
  }

  @Test func `each handler of a stop request runs once, even if it is added after the request`() async {
    let context = OperationContext(steps: 1)
    let heard = Mutex<[String]>([])
    context.whenAskedToStop { name in heard.withLock { $0.append("early \(name)") } }
    #expect(context.shouldStop == nil)
    context.askToStop(for: "pause")
    context.askToStop(for: "finish")
    context.whenAskedToStop { name in heard.withLock { $0.append("late \(name)") } }
    #expect(heard.withLock { $0 } == ["early pause", "late pause"])
    #expect(context.shouldStop == "pause")
  }

  @Test func `an operation that has left the queue is released while others still wait`() {
    final class Witness: Sendable {}
    var backlog = OperationBacklog(maxDepth: 3)
    weak var witness: Witness?
    do {
      let seen = Witness()
      witness = seen
      _ = backlog.take([Operation(name: "first") { [seen] _ in withExtendedLifetime(seen) { .done } }], at: 0)
    }
    _ = backlog.take(Array(repeating: Operation(name: "later") { _ in .done }, count: 2), at: 0)
    #expect(witness != nil)
    _ = backlog.begin(at: 0)
    backlog.end(1)
    #expect(witness == nil)
    #expect(backlog.depth == 2)
  }

  private static func visit(_ inside: Occupancy, name: String) -> Operation {
    Operation(name: name) { _ in
      inside.enter()
      for _ in 0..<5 { await Task.yield() }
      inside.leave()
      return .done
    }
  }
}

/// Counts how many operations run at the same time.
private final class Occupancy: Sendable {
  private let state = Mutex((now: 0, most: 0, visits: 0))

  var most: Int { state.withLock(\.most) }
  var visits: Int { state.withLock(\.visits) }

  func enter() {
    state.withLock { state in
      state.now += 1
      state.visits += 1
      state.most = max(state.most, state.now)
    }
  }

  func leave() { state.withLock { $0.now -= 1 } }
}
