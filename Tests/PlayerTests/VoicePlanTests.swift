import Schedule
import Signal
import Sounds
import TestSupport
import Testing

@testable import Player

@Suite struct VoicePlanTests {
  private func session(every interval: Double, length: FrameCount, for seconds: Double) -> Programme {
    let frames = seconds * Double(testRate.hertz)
    var session = programme([Programme.Stage("S", [], for: .frames(frames))])
    session.stages[0].gongs = [
      Programme.Gong(sound: Programme.Sound("bell", length), .every(interval, count: nil))
    ]
    return session
  }

  @Test func `a gong that is struck often is decoded once, and each strike is heard`() async {
    let length = testRate.frames(2)
    let session = session(every: Double(testRate.frames(0.1)), length: length, for: 3)
    let plan = VoicePlan(session)
    #expect(plan.shared == [TestLibrary.source("bell"): length] && plan.excess == nil)
    let library = CountingLibrary(TestLibrary(["bell": .constant(0.01, length: length)]))
    let rendered = await perform(session, library)
    #expect(library.opens("bell") == 1)
    // 20 strikes of two seconds, one every 0.1 s, sound at 2.95 s.
    let frame = rendered.frames[Int(testRate.frames(2.95))]
    #expect(abs(frame.left - 0.2) < 1e-5)
  }

  @Test func `64 commanded gongs sound at once`() async {
    let log = CommandLog()
    let library = TestLibrary(["bell": .constant(0.01, length: testRate.frames(2))])
    let session = programme([Programme.Stage("S", [], for: .frames(Double(testRate.frames(3))))])
    let gongs = TimedCommands([(0.5, Array(repeating: .gong(Cue("bell")), count: 64))], log: log)
    let rendered = await perform(session, library, doing: gongs)
    #expect(log.outcomes == Array(repeating: .done, count: 64))
    #expect(abs(rendered.frames[Int(testRate.frames(1))].left - 0.64) < 1e-5)
  }

  @Test func `more than 4,096 sounds at once are too many`() {
    let most = VoicePlan(session(every: 1, length: 4_096, for: 2)).excess
    let tooMany = VoicePlan(session(every: 1, length: 5_000, for: 2)).excess
    #expect(most == nil && tooMany?.count == 5_000 && tooMany?.bytes == nil)
  }
}
