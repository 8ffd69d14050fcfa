import Testing

@testable import Player

struct AdaptiveTimeoutTests {
  @Test func `without samples, the timeout is two and a half times the expected duration`() {
    let manager = AdaptiveTimeoutManager()
    #expect(manager.timeout(expecting: 0.5) == 1.25)
  }

  @Test(arguments: [
    (slowdowns: [1.0], multiplier: 2.0), ([0.1], 2.0), ([2.0], 3.0), ([10.0], 5.0), ([1, 2, 3, 4, 5], 4.5),
    ([9, 9, 9, 2, 2, 2, 2, 2], 3.0), ([0.0], 2.0),
  ])
  func `the multiplier is one and a half times the mean slowdown of the last five samples, from 2 to 5`(
    _ slowdowns: [Double], _ multiplier: Double
  ) {
    var manager = AdaptiveTimeoutManager()
    for slowdown in slowdowns { manager.record(expected: 0.5, actual: 0.5 * slowdown) }
    #expect(manager.timeout(expecting: 10) == 10 * multiplier)
  }

  @Test func `the slowdown of a sample is relative to its own expected duration`() {
    var manager = AdaptiveTimeoutManager()
    manager.record(expected: 0.1, actual: 0.2)
    manager.record(expected: 10, actual: 20)
    #expect(manager.timeout(expecting: 1) == 3)
  }

  @Test(arguments: [(0.0, 1.0), (-1, 1), (.nan, 1), (.infinity, 1), (1, -1), (1, .nan), (1, .infinity)])
  func `a sample with an invalid duration is ignored`(_ expected: Double, _ actual: Double) {
    var manager = AdaptiveTimeoutManager()
    manager.record(expected: expected, actual: actual)
    #expect(manager.timeout(expecting: 1) == 2.5)
  }

  @Test func `an operation that always takes twice the expected duration never times out`() {
    var manager = AdaptiveTimeoutManager()
    for round in 0..<1_000 {
      let actual = 0.3 * (2 + 0.1 * Double(round % 3))
      #expect(actual < manager.timeout(expecting: 0.3))
      manager.record(expected: 0.3, actual: actual)
    }
  }
}
