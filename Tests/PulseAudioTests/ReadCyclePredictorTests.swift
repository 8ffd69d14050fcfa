@testable import PulseAudio
import Signal
import Testing

struct ReadCyclePredictorTests {
  /// A predictor that has observed cycles of 1,024 frames, which begin at multiples of 21.333 ms. The server requests
  /// more sound about once a second.
  private func trained(
    requestsLate: [Double] = [0, 0, 0, 0, 0, 0], cycles: [Int] = [47, 47, 47, 47, 47, 47]
  ) -> ReadCyclePredictor {
    var predictor = ReadCyclePredictor()
    var cycle = 0
    predictor.read(0, at: 0)
    for (late, count) in zip(requestsLate, cycles) {
      cycle += count
      predictor.requested(at: Double(cycle) * 1024 / 48_000 + late)
      predictor.read(FrameTime(cycle) * 1024, at: Double(cycle) * 1024 / 48_000 + max(late, 0.003))
    }
    return predictor
  }

  private let now = 282 * 1024.0 / 48_000 + 0.005

  @Test func `the next read is predicted from the phase of the requests`() throws {
    let next = try #require(trained().next(at: now, rate: .studio))
    #expect(abs(next.left - (1024.0 / 48_000 - 0.005)) < 1e-6)
    #expect(next.length == 1024.0 / 48_000)
  }

  @Test func `a read that is due is counted although it has not been reported`() throws {
    let due = 282 * 1024.0 / 48_000
    #expect(try #require(trained().next(at: due - 0.001, rate: .studio)).position == 281 * 1024)
    #expect(try #require(trained().next(at: due + 0.001, rate: .studio)).position == 282 * 1024)
    let later = try #require(trained().next(at: due + 1024.0 / 48_000 + 0.001, rate: .studio))
    #expect(later.position == 283 * 1024)
  }

  @Test func `a report shortly before a read is due may include it already`() throws {
    var predictor = trained()
    predictor.read(283 * 1024, at: 283 * 1024.0 / 48_000 - 0.001)
    #expect(try #require(predictor.next(at: 283 * 1024.0 / 48_000 + 0.001, rate: .studio)).position == 283 * 1024)
  }

  @Test func `a report without a late read does not move the prediction back`() throws {
    var predictor = trained()
    predictor.read(283 * 1024, at: 284 * 1024.0 / 48_000 + 0.005)
    #expect(try #require(predictor.next(at: 284 * 1024.0 / 48_000 + 0.006, rate: .studio)).position == 284 * 1024)
  }

  @Test func `a late request does not delay the prediction`() throws {
    let late = trained(requestsLate: [0, 0, 0, 0.0015, 0, 0.0012])
    let next = try #require(late.next(at: now, rate: .studio))
    #expect(abs(next.left - (1024.0 / 48_000 - 0.005)) < 1e-6)
  }

  @Test func `a request in reply to a write does not affect the prediction`() throws {
    var predictor = trained()
    let moment = 290 * 1024.0 / 48_000 + 0.011
    predictor.sent(at: moment)
    predictor.requested(at: moment + 0.0004)
    let next = try #require(predictor.next(at: now, rate: .studio))
    #expect(abs(next.left - (1024.0 / 48_000 - 0.005)) < 1e-6)
  }

  @Test func `nothing is predicted from irregular requests`() {
    #expect(trained(requestsLate: [0, 0, 0, 0, 0.009, 0]).next(at: now, rate: .studio) == nil)
  }

  @Test func `nothing is predicted from too few requests or read positions`() {
    #expect(trained(cycles: [47, 47]).next(at: now, rate: .studio) == nil)
    #expect(ReadCyclePredictor().next(at: now, rate: .studio) == nil)
  }

  @Test func `nothing is predicted long after the last request`() {
    #expect(trained().next(at: now + 11, rate: .studio) == nil)
  }

  /// The arguments are a cycle length, and the number of such cycles in 48 times 1,024 frames plus one.
  @Test(
    arguments: [(4096, 13), (2048, 25), (1024, 49), (512, 97), (256, 193), (128, 385)] as [(FrameCount, FrameCount)])
  func `the length of the cycles is determined from the read positions`(length: FrameCount, count: FrameCount) throws {
    var predictor = ReadCyclePredictor()
    for number in 0...3 {
      predictor.requested(at: Double(FrameCount(number) * count * length) / 48_000)
      predictor.read(
        FrameTime(number) * count * length, at: Double(FrameCount(number) * count * length) / 48_000 + 0.003)
    }
    let next = predictor.next(at: Double(3 * count * length) / 48_000 + 0.001, rate: .studio)
    #expect(length < 512 ? next == nil : next?.length == Double(length) / 48_000)
  }

  /// The arguments are a cycle length, and the number of such cycles in 48 times 1,024 frames plus one.
  @Test(arguments: [(512, 97), (256, 193), (128, 385)] as [(FrameCount, FrameCount)])
  func `shorter cycles are detected after the next request`(length: FrameCount, count: FrameCount) throws {
    var predictor = trained()
    let position = 282 * 1024 + count * length
    predictor.requested(at: Double(position) / 48_000)
    predictor.read(position, at: Double(position) / 48_000 + 0.003)
    let next = predictor.next(at: Double(position) / 48_000 + 0.001, rate: .studio)
    // Cycles of less than 8 ms are too short to be distinguished from a late request.
    #expect(length < 512 ? next == nil : next?.length == 512.0 / 48_000)
  }
}
