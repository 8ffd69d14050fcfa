package import ProsperKit

/// Measures a queue like the player's on this machine: the cost of an operation, and the delay of a pause.
package struct QueueBenchmark: Sendable, Hashable {
  /// The number of operations, which did nothing and ran one after the other.
  package var operations: Int
  /// The time of each operation for its caller, in microseconds.
  package var microsecondsEach: Double
  /// Milliseconds from the arrival of a pause to its start, while one navigation runs and others wait.
  package var pause: QueueMetrics.Distribution

  /// How many pauses are measured.
  static let pauses = 100

  /// Runs the drill on a separate queue.
  package static func run(operations count: Int) async -> MetricsReport {
    let queue = AsyncOperationQueue()
    let began = monotonicNanoseconds()
    for _ in 0..<count { _ = await queue.perform([Operation(name: "nothing") { _ in .done }]) }
    let each = Double(monotonicNanoseconds() - began) / 1e3 / Double(max(1, count))
    let drill = QueueBenchmark(operations: count, microsecondsEach: each, pause: await pauseAmongNavigation())
    return MetricsReport(metrics: await queue.metrics, origin: .drill(drill))
  }

  private static func pauseAmongNavigation() async -> QueueMetrics.Distribution {
    let queue = AsyncOperationQueue()
    var nanoseconds: [Int64] = []
    for _ in 0..<pauses { nanoseconds.append(await pauseOnce(queue)) }
    return QueueMetrics.Distribution(sorted: nanoseconds.sorted())
  }

  /// One pause: `next` is running and two more are waiting when it arrives. Returns its delay in nanoseconds.
  private static func pauseOnce(_ queue: AsyncOperationQueue) async -> Int64 {
    let (beginnings, begins) = AsyncStream<Int64>.makeStream()
    let running = Operation(name: "next", navigation: .step(1)) { context in
      begins.yield(monotonicNanoseconds())
      return .cancelled(by: await nameOfStop(context))
    }
    let pause = Operation(name: "pause", priority: .high) { _ in
      begins.yield(monotonicNanoseconds())
      return .done
    }
    let next = Operation(name: "next", navigation: .step(1)) { _ in .done }
    async let first = queue.perform([running])
    var iterator = beginnings.makeAsyncIterator()
    _ = await iterator.next()
    let sent = monotonicNanoseconds()
    _ = await (queue.perform([next, next, pause]), first)
    return (await iterator.next() ?? sent) - sent
  }

  /// Suspends until the operation is asked to stop; returns the name of the operation that asked.
  private static func nameOfStop(_ context: OperationContext) async -> String {
    await withCheckedContinuation { continuation in context.whenAskedToStop { continuation.resume(returning: $0) } }
  }
}
