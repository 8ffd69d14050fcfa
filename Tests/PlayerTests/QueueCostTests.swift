import Player
import Testing

/// Runs alone, because an operation would wait for the tasks of other tests.
@Suite struct QueueCostTests {
  @Test func `an operation costs no more than a hundred tasks on the same machine`() async {
    let queue = AsyncOperationQueue()
    var (operations, tasks) = (Int64.max, Int64.max)
    for _ in 0..<5 {
      operations = min(operations, await time { _ = await queue.perform([Operation(name: "nothing") { _ in .done }]) })
      tasks = min(tasks, await time { await Task {}.value })
    }
    #expect(operations < 100 * tasks)
  }

  /// The nanoseconds that a thousand calls take.
  private func time(_ body: () async -> Void) async -> Int64 {
    let began = AsyncOperationQueue.monotonicClock()
    for _ in 0..<1_000 { await body() }
    return AsyncOperationQueue.monotonicClock() - began
  }
}
