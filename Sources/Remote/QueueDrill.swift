package import Player

/// Measures a queue like the player's on this machine: what it costs, and how soon a pause gets through.
package struct QueueDrill: Sendable, Hashable {
  /// Operations that did nothing, one after the other.
  package var operations: Int
  /// What each of them cost its caller.
  package var microsecondsEach: Double
  /// Between a pause that meets running and waiting navigation and its beginning, in milliseconds.
  package var pause: QueueMetrics.Distribution

  /// How often a pause is sent.
  static let pauses = 100

  package static func run(operations count: Int) async -> MetricsReport {
    let queue = AsyncOperationQueue()
    let clock = AsyncOperationQueue.monotonicClock
    let began = clock()
    for _ in 0..<count { _ = await queue.perform([Operation(name: "nothing") { _ in .done }]) }
    let each = Double(clock() - began) / 1e3 / Double(max(1, count))
    let drill = QueueDrill(operations: count, microsecondsEach: each, pause: await pauseAmongNavigation())
    return MetricsReport(metrics: await queue.metrics, origin: .drill(drill))
  }

  private static func pauseAmongNavigation() async -> QueueMetrics.Distribution {
    let queue = AsyncOperationQueue()
    var nanoseconds: [Int64] = []
    for _ in 0..<pauses { nanoseconds.append(await pauseOnce(queue)) }
    return QueueMetrics.Distribution(sorted: nanoseconds.sorted())
  }

  /// Next runs, two more wait, and then comes the pause.
  private static func pauseOnce(_ queue: AsyncOperationQueue) async -> Int64 {
    let clock = AsyncOperationQueue.monotonicClock
    let (beginnings, begins) = AsyncStream<Int64>.makeStream()
    let running = Operation(name: "next", navigation: .step(1)) { context in
      begins.yield(clock())
      return .cancelled(by: await nameOfStop(context))
    }
    let pause = Operation(name: "pause", priority: .high) { _ in
      begins.yield(clock())
      return .done
    }
    let next = Operation(name: "next", navigation: .step(1)) { _ in .done }
    async let first = queue.perform([running])
    var iterator = beginnings.makeAsyncIterator()
    _ = await iterator.next()
    let sent = clock()
    _ = await (queue.perform([next, next, pause]), first)
    return (await iterator.next() ?? sent) - sent
  }

  private static func nameOfStop(_ context: OperationContext) async -> String {
    await withCheckedContinuation { continuation in context.whenAskedToStop { continuation.resume(returning: $0) } }
  }
}
