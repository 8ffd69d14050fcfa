import Testing

@testable import Player

struct AdaptiveTimeoutTests {
  @Test func `of what is unknown, two and a half times the expectation`() {
    let manager = AdaptiveTimeoutManager()
    #expect(manager.timeout(expecting: 0.5) == 1.25)
  }

  @Test(arguments: [
    (slowdowns: [1.0], multiplier: 2.0), ([0.1], 2.0), ([2.0], 3.0), ([10.0], 5.0), ([1, 2, 3, 4, 5], 4.5),
    ([9, 9, 9, 2, 2, 2, 2, 2], 3.0), ([0.0], 2.0),
  ])
  func `half more than the last five have taken on average, and two to five times`(
    _ slowdowns: [Double], _ multiplier: Double
  ) {
    var manager = AdaptiveTimeoutManager()
    for slowdown in slowdowns { manager.record(expected: 0.5, actual: 0.5 * slowdown) }
    #expect(manager.timeout(expecting: 10) == 10 * multiplier)
  }

  @Test func `each sample counts against what was expected of it`() {
    var manager = AdaptiveTimeoutManager()
    manager.record(expected: 0.1, actual: 0.2)
    manager.record(expected: 10, actual: 20)
    #expect(manager.timeout(expecting: 1) == 3)
  }

  @Test(arguments: [(0.0, 1.0), (-1, 1), (.nan, 1), (.infinity, 1), (1, -1), (1, .nan), (1, .infinity)])
  func `what is no length of time is left out`(_ expected: Double, _ actual: Double) {
    var manager = AdaptiveTimeoutManager()
    manager.record(expected: expected, actual: actual)
    #expect(manager.timeout(expecting: 1) == 2.5)
  }

  @Test func `an operation that is always twice as slow is not once taken for one that hangs`() {
    var manager = AdaptiveTimeoutManager()
    for round in 0..<1_000 {
      let actual = 0.3 * (2 + 0.1 * Double(round % 3))
      #expect(actual < manager.timeout(expecting: 0.3))
      manager.record(expected: 0.3, actual: actual)
    }
  }
}
