import Engine
import Synchronization
import TestSupport
import Testing

@Suite struct WorkThreadsTests {
  @Test func `one thread executes closures in their order`() async throws {
    try await onOwnThread {
      let thread = try #require(WorkThreads())
      let seen = Mutex<[Int]>([])
      for number in 0..<100 { thread.async { seen.withLock { $0.append(number) } } }
      thread.sync {}
      #expect(seen.withLock { $0 } == Array(0..<100))
    }
  }
}
