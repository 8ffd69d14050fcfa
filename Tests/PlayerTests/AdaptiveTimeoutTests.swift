import Testing

@testable import Player

struct AdaptiveTimeoutTests {
  @Test func `of what is unknown, two and a half times the expectation`() {
    let manager = AdaptiveTimeoutManager()
    #expect(manager.timeout(for: "load", expected: 0.5) == 1.25)
    #expect(manager.statistics(of: "load") == AdaptiveTimeoutManager.Statistics())
  }

  @Test(arguments: [
    (slowdowns: [1.0], multiplier: 2.0), ([0.1], 2.0), ([2.0], 3.0), ([10.0], 5.0), ([1, 2, 3, 4, 5], 4.5),
    ([9, 9, 9, 2, 2, 2, 2, 2], 3.0), ([0.0], 2.0),
  ])
  func `half more than the last five have taken on average, and two to five times`(
    _ slowdowns: [Double], _ multiplier: Double
  ) {
    var manager = AdaptiveTimeoutManager()
    for slowdown in slowdowns { manager.record("load", expected: 0.5, actual: 0.5 * slowdown) }
    #expect(manager.statistics(of: "load").multiplier == multiplier)
    #expect(manager.timeout(for: "load", expected: 10) == 10 * multiplier)
  }

  @Test func `each sample counts against what was expected of it`() {
    var manager = AdaptiveTimeoutManager()
    manager.record("load", expected: 0.1, actual: 0.2)
    manager.record("load", expected: 10, actual: 20)
    let statistics = manager.statistics(of: "load")
    #expect(statistics.averageSlowdown == 2 && statistics.greatestSlowdown == 2 && statistics.multiplier == 3)
  }

  @Test func `ten samples of each kind are kept, and kinds do not mix`() {
    var manager = AdaptiveTimeoutManager()
    for sample in 1...50 { manager.record("load", expected: 1, actual: Double(sample)) }
    manager.record("fade", expected: 1, actual: 1)
    let statistics = manager.statistics(of: "load")
    #expect(statistics.count == 10 && statistics.averageSlowdown == 45.5 && statistics.greatestSlowdown == 50)
    #expect(manager.statistics(of: "fade").count == 1)
  }

  @Test(arguments: [(0.0, 1.0), (-1, 1), (.nan, 1), (.infinity, 1), (1, -1), (1, .nan), (1, .infinity)])
  func `what is no length of time is left out`(_ expected: Double, _ actual: Double) {
    var manager = AdaptiveTimeoutManager()
    manager.record("load", expected: expected, actual: actual)
    #expect(manager.statistics(of: "load").count == 0)
  }

  @Test func `an operation that is always twice as slow is not once taken for one that hangs`() {
    var manager = AdaptiveTimeoutManager()
    for round in 0..<1_000 {
      let actual = 0.3 * (2 + 0.1 * Double(round % 3))
      #expect(actual < manager.timeout(for: "fade", expected: 0.3))
      manager.record("fade", expected: 0.3, actual: actual)
    }
  }
}
