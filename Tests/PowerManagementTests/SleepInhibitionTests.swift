@testable import PowerManagement
import Testing

@Suite struct SleepInhibitionTests {
  private let begin = SuspendingClock().now

  @Test(arguments: [(true, SleepInhibition.Wish.take), (false, .release)])
  func `both locks are held exactly during playback`(isPlaying: Bool, wish: SleepInhibition.Wish) {
    var inhibition = SleepInhibition()
    inhibition.isPlaying = isPlaying
    #expect(inhibition.block == wish && inhibition.delay(at: begin) == wish)
    #expect(inhibition.rest(at: begin) == 3_600)
  }

  @Test func `a suspend is delayed until the sound has stopped`() {
    var inhibition = SleepInhibition()
    inhibition.isPlaying = true
    _ = inhibition.prepare(forSleep: true, at: begin)
    #expect(inhibition.block == .release && inhibition.delay(at: begin + .milliseconds(20)) == .keep)
    inhibition.isPlaying = false
    #expect(inhibition.delay(at: begin + .milliseconds(40)) == .release)
  }

  @Test func `a suspend is delayed by at most two seconds, however often it is announced`() {
    var inhibition = SleepInhibition()
    inhibition.isPlaying = true
    let first = inhibition.prepare(forSleep: true, at: begin)
    let second = inhibition.prepare(forSleep: true, at: begin + .seconds(1))
    #expect(first && !second)
    #expect(inhibition.rest(at: begin + .seconds(1)) == 1)
    #expect(inhibition.delay(at: begin + .milliseconds(1_999)) == .keep)
    #expect(inhibition.delay(at: begin + .seconds(2)) == .release)
    #expect(inhibition.rest(at: begin + .seconds(2)) == 3_600)
  }

  @Test func `after a sleep, the locks are taken again during playback`() {
    var inhibition = SleepInhibition()
    let isNews = [false, true, false].map { inhibition.prepare(forSleep: $0, at: begin) }
    #expect(isNews == [false, true, true])
    inhibition.isPlaying = true
    #expect(inhibition.block == .take && inhibition.delay(at: begin + .seconds(3_600)) == .take)
  }
}
