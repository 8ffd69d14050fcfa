@testable import PulseAudio
import Signal
import Testing

struct DeviceRhythmTests {
  /// Cycles of 1,024 frames that begin at multiples of 21.333 ms. The server requests more sound about once a second.
  private func heard(
    requestsLate: [Double] = [0, 0, 0, 0, 0, 0], cycles: [Int] = [47, 47, 47, 47, 47, 47]
  ) -> DeviceRhythm {
    var rhythm = DeviceRhythm()
    var cycle = 0
    rhythm.read(0)
    for (late, count) in zip(requestsLate, cycles) {
      cycle += count
      rhythm.requested(at: Double(cycle) * 1024 / 48_000 + late)
      rhythm.read(FrameTime(cycle) * 1024)
    }
    return rhythm
  }

  private let now = 282 * 1024.0 / 48_000 + 0.005

  @Test func `the next cycle follows the rhythm of the requests`() throws {
    let next = try #require(heard().next(at: now, rate: .studio))
    #expect(abs(next.left - (1024.0 / 48_000 - 0.005)) < 1e-6)
    #expect(next.cycle == 1024.0 / 48_000)
  }

  @Test func `a late request does not delay the rhythm`() throws {
    let late = heard(requestsLate: [0, 0, 0, 0.0015, 0, 0.0012])
    let next = try #require(late.next(at: now, rate: .studio))
    #expect(abs(next.left - (1024.0 / 48_000 - 0.005)) < 1e-6)
  }

  @Test func `a request that answers our own write is not part of the rhythm`() throws {
    var rhythm = heard()
    let moment = 290 * 1024.0 / 48_000 + 0.011
    rhythm.sent(at: moment)
    rhythm.requested(at: moment + 0.0004)
    let next = try #require(rhythm.next(at: now, rate: .studio))
    #expect(abs(next.left - (1024.0 / 48_000 - 0.005)) < 1e-6)
  }

  @Test func `irregular requests predict nothing`() {
    #expect(heard(requestsLate: [0, 0, 0, 0, 0.009, 0]).next(at: now, rate: .studio) == nil)
  }

  @Test func `too few requests or positions predict nothing`() {
    #expect(heard(cycles: [47, 47]).next(at: now, rate: .studio) == nil)
    #expect(DeviceRhythm().next(at: now, rate: .studio) == nil)
  }

  @Test func `an old rhythm predicts nothing`() {
    #expect(heard().next(at: now + 11, rate: .studio) == nil)
  }

  /// The cycles in 48 times 1,024 frames, and one more.
  @Test(
    arguments: [(4096, 13), (2048, 25), (1024, 49), (512, 97), (256, 193), (128, 385)] as [(FrameCount, FrameCount)])
  func `the length of the cycles follows from the requests`(length: FrameCount, count: FrameCount) throws {
    var rhythm = DeviceRhythm()
    for number in 0...3 {
      rhythm.requested(at: Double(FrameCount(number) * count * length) / 48_000)
      rhythm.read(FrameTime(number) * count * length)
    }
    let next = rhythm.next(at: Double(3 * count * length) / 48_000 + 0.001, rate: .studio)
    #expect(length < 512 ? next == nil : next?.cycle == Double(length) / 48_000)
  }

  /// The cycles in 48 times 1,024 frames, and one more.
  @Test(arguments: [(512, 97), (256, 193), (128, 385)] as [(FrameCount, FrameCount)])
  func `shorter cycles are detected at the next request`(length: FrameCount, count: FrameCount) throws {
    var rhythm = heard()
    let position = 282 * 1024 + count * length
    rhythm.requested(at: Double(position) / 48_000)
    rhythm.read(position)
    let next = rhythm.next(at: Double(position) / 48_000 + 0.001, rate: .studio)
    // Cycles of less than 8 ms are too short to be distinguished from a late request.
    #expect(length < 512 ? next == nil : next?.cycle == 512.0 / 48_000)
  }
}
