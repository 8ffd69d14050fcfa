import Player

/// Sends operations that do nothing through a queue like the player's, to tell what the queue itself costs here.
package enum QueueDrill {
  package static func run(operations count: Int) async -> MetricsReport {
    let queue = AsyncOperationQueue()
    let clock = AsyncOperationQueue.monotonicClock
    let began = clock()
    for _ in 0..<count { _ = await queue.perform([Operation(name: "nothing") { _ in .done }]) }
    let microseconds = Double(clock() - began) / 1e3 / Double(max(1, count))
    return MetricsReport(
      metrics: await queue.metrics, origin: .drill(operations: count, microsecondsEach: microseconds))
  }
}
