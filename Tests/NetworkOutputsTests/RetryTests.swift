import Engine
import Testing

@testable import NetworkOutputs

/// When a lost server is tried again.
@Suite struct RetryTests {
  private let error = SinkError.unreachable(output: "a", cause: "gone")

  @Test func `the intervals grow to two seconds, and a connection ends the outage`() {
    var retry = Retry()
    let (before, isFirst) = (retry.succeeded(at: 1), retry.failed(error, at: 10))
    #expect(before == nil && isFirst)
    var (times, now) = ([Double](), 10.0)
    while now < 20 {
      if retry.isDue(at: now) {
        times.append(now)
        let beginsAgain = retry.failed(error, at: now)
        #expect(!beginsAgain)
      }
      now += 0.25
    }
    #expect(times == [10.25, 10.75, 11.75, 13.75, 15.75, 17.75, 19.75])
    #expect(retry.failure(at: 14.9, after: 5) == nil)
    #expect(retry.failure(at: 15, after: 5) == .lost(cause: "gone"))
    let length = retry.succeeded(at: 20)
    #expect(length == 10 && retry.failure(at: 99, after: 5) == nil)
  }
}
