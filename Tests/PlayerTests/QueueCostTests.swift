import Glibc
import Player
import Testing

/// Runs alone, because the time of other tests would be counted.
@Suite struct QueueCostTests {
  @Test func `an operation takes no more processor time than a hundred tasks on the same machine`() async {
    let queue = AsyncOperationQueue()
    var (operations, tasks) = (UInt64.max, UInt64.max)
    for _ in 0..<5 {
      operations = min(operations, await time { _ = await queue.perform([Operation(name: "nothing") { _ in .done }]) })
      tasks = min(tasks, await time { await Task {}.value })
    }
    #expect(operations < 100 * tasks)
  }

  /// The nanoseconds of processor time that a thousand calls take. Other processes do not lengthen them.
  private func time(_ body: () async -> Void) async -> UInt64 {
    let began = processorTime
    for _ in 0..<1_000 { await body() }
    return processorTime - began
  }

  private var processorTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
