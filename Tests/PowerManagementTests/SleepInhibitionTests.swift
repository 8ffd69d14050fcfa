@testable import PowerManagement
import Testing

@Suite struct VigilTests {
  private let begin = SuspendingClock().now

  @Test(arguments: [(true, SleepInhibition.Wish.take), (false, .release)])
  func `both locks are held exactly during playback`(isPlaying: Bool, wish: SleepInhibition.Wish) {
    var vigil = SleepInhibition()
    vigil.isPlaying = isPlaying
    #expect(vigil.block == wish && vigil.delay(at: begin) == wish)
    #expect(vigil.rest(at: begin) == 3_600)
  }

  @Test func `a sleep waits until the sound has stopped`() {
    var vigil = SleepInhibition()
    vigil.isPlaying = true
    _ = vigil.prepare(forSleep: true, at: begin)
    #expect(vigil.block == .release && vigil.delay(at: begin + .milliseconds(20)) == .keep)
    vigil.isPlaying = false
    #expect(vigil.delay(at: begin + .milliseconds(40)) == .release)
  }

  @Test func `a sleep waits no longer than two seconds, however often it is announced`() {
    var vigil = SleepInhibition()
    vigil.isPlaying = true
    let first = vigil.prepare(forSleep: true, at: begin)
    let second = vigil.prepare(forSleep: true, at: begin + .seconds(1))
    #expect(first && !second)
    #expect(vigil.rest(at: begin + .seconds(1)) == 1)
    #expect(vigil.delay(at: begin + .milliseconds(1_999)) == .keep)
    #expect(vigil.delay(at: begin + .seconds(2)) == .release)
    #expect(vigil.rest(at: begin + .seconds(2)) == 3_600)
  }

  @Test func `playback takes its locks again after a sleep`() {
    var vigil = SleepInhibition()
    let isNews = [false, true, false].map { vigil.prepare(forSleep: $0, at: begin) }
    #expect(isNews == [false, true, true])
    vigil.isPlaying = true
    #expect(vigil.block == .take && vigil.delay(at: begin + .seconds(3_600)) == .take)
  }
}
