import Engine
import Testing

@testable import NetworkOutputs

/// When a lost server is tried again.
@Suite struct RetryTests {
  private let gone = SinkError.unreachable(output: "a", cause: "gone")

  @Test func `the intervals grow to two seconds, and a connection ends the outage`() {
    var retry = Retry()
    let (before, isFirst) = (retry.succeeded(at: 1), retry.failed(gone, at: 10))
    #expect(before == nil && isFirst)
    var (times, now) = ([Double](), 10.0)
    while now < 20 {
      if retry.isDue(at: now) {
        times.append(now)
        let beginsAgain = retry.failed(gone, at: now)
        #expect(!beginsAgain)
      }
      now += 0.25
    }
    #expect(times == [10.25, 10.75, 11.75, 13.75, 15.75, 17.75, 19.75])
    let length = retry.succeeded(at: 20)
    #expect(length == 10)
  }

  @Test func `a refusal during an outage is told once`() {
    var retry = Retry()
    let refused = SinkError.refused(output: "a", cause: "wrong password")
    let told = [gone, gone, refused, gone, refused].map { retry.failed($0, at: 1) }
    #expect(told == [true, false, true, false, false])
    _ = retry.succeeded(at: 2)
    let again = retry.failed(refused, at: 3)
    #expect(again)
  }
}
