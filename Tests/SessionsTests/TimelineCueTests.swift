import Schedule
import Signal
import Sounds
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

struct TimelineCueTests {
  @Test func `gongs sound at their positions in their stage`() throws {
    let cue = gong("bell", .at([at(0), at(1.5), beforeEnd(1), beforeEnd(0)]))
    let timeline = try compile(session([stage("A", .seconds(5)), stage("B", .seconds(4), gongs: [cue])]))
    #expect(timeline.stages[1].cues.map(\.at) == [ms(5000), ms(6500), ms(8000), ms(9000)])
    #expect(timeline.end == ms(12_000))
  }

  @Test func `strikes at an interval end before the stage does`() throws {
    let endless = gong("bell", .every(2, count: nil), strikes: 2, spacing: 0.5)
    let timeline = try compile(session([stage("A", .seconds(6), gongs: [endless])]))
    #expect(timeline.stages[0].cues.map(\.at) == [ms(2000), ms(2500), ms(4000), ms(4500)])
  }

  @Test func `an overlay repeats after its delay`() throws {
    let cue = overlay("one", at: at(1), fadeIn: 0.25, fadeOut: 0.5, Session.Repetition(times: .times(3), delay: 2))
    let cues = try compile(session([stage("A", .seconds(20), overlays: [cue])])).stages[0].cues
    #expect(cues.map(\.at) == [ms(1000), ms(4000), ms(7000)])
    #expect(cues.allSatisfy { $0.fadeIn == .rising(at: $0.at, over: ms(250), .linear) })
    #expect(cues.allSatisfy { $0.fadeOut == .falling(at: $0.end - ms(500), over: ms(500), .linear) })
  }

  @Test func `a new overlay replaces the current one and its repeats`() throws {
    let first = overlay("ten", at: at(1), fadeOut: 1, Session.Repetition(times: .times(3), delay: 1))
    let cues = try compile(session([stage("A", .seconds(60), overlays: [first, overlay("two", at: at(5))])])).stages[0]
      .cues
    #expect(cues.map(\.title) == ["ten", "two"])
    #expect(cues[0].leave == .falling(at: ms(5000), over: ms(1000), .linear))
    #expect(cues[0].end == ms(6000))
  }

  @Test func `a replaced overlay without a fade-out fades out within 20 ms`() throws {
    let both = [overlay("ten", at: at(1)), overlay("two", at: at(5))]
    let cues = try compile(session([stage("A", .seconds(60), overlays: both)])).stages[0].cues
    #expect(cues[0].leave == .falling(at: ms(5000), over: ms(20), .linear))
  }

  @Test func `a layer neither replaces nor is replaced`() throws {
    let both = [overlay("ten", at: at(1)), overlay("two", at: at(5), layer: true)]
    let cues = try compile(session([stage("A", .seconds(60), overlays: both)])).stages[0].cues
    #expect(cues.allSatisfy { $0.leave == nil })
  }

  @Test func `an overlay fades out with the music of its stage`() throws {
    let stages = [
      stage("A", .seconds(5), ["ten"], overlays: [overlay("ten", at: at(1))]),
      stage("B", .natural, ["ten"], crossfade: 2),
    ]
    let cue = try compile(session(stages)).stages[0].cues[0]
    #expect(cue.leave == .falling(at: ms(5000), over: ms(2000), .equalPower))
    #expect(cue.end == ms(7000))
  }

  @Test func `overlays of the last stage ring out, and an endless one ends with the stage`() throws {
    let both = [overlay("ten", at: at(3), layer: true), overlay("rain", at: at(0), fadeOut: 1)]
    let timeline = try compile(session([stage("A", .seconds(5), overlays: both)]))
    #expect(timeline.stages[0].cues.map(\.end) == [ms(5000), ms(13_000)])
    #expect(timeline.stages[0].cues[0].fadeOut == .falling(at: ms(4000), over: ms(1000), .linear))
  }

  @Test func `an overlay that repeats forever begins no repeat at the end of the stage`() throws {
    let cue = overlay("one", at: at(0), Session.Repetition(times: .forever, delay: 1))
    let cues = try compile(session([stage("A", .seconds(6), overlays: [cue])])).stages[0].cues
    #expect(cues.map(\.at) == [0, ms(2000), ms(4000)])
  }
}
