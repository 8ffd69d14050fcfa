import Engine
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// At 8,000 frames a second: track A from 0 to 80,000, B from 72,000 on, a second of crossfade between.
@Suite struct MusicNarrationTests {
  let a = Story.music("A", index: 0, at: 0, length: 80_000)
  let b = Story.music("B", index: 1, at: 72_000, length: 80_000, fadeIn: 8_000)

  @Test func `a session that plays, crossfades and ends`() {
    var story = Story()
    story.prepare(a)
    story.start(a, at: 0)
    story.start(b, at: 72_000)
    story.run(to: 80_001)
    story.conclude()
    #expect(
      story.states == [
        "preparing A", "playing A", "crossfading A → B 0%", "crossfading A → B 10%", "crossfading A → B 20%",
        "crossfading A → B 30%", "crossfading A → B 40%", "crossfading A → B 50%", "crossfading A → B 60%",
        "crossfading A → B 70%", "crossfading A → B 80%", "crossfading A → B 90%", "playing B", "finished",
      ])
    #expect(
      story.names.filter { $0.hasPrefix("crossfade.") && $0 != "crossfade.progress" } == [
        "crossfade.started", "crossfade.completed",
      ])
    #expect(story.music.refusal == nil)
  }

  @Test func `a track is paused at its true position and goes on there`() throws {
    var story = Story()
    story.prepare(a)
    story.start(a, at: 0)
    story.tell { $0.pause(at: 40_000) }
    let track = try #require(story.music.state.currentTrack)
    #expect(story.music.state == .paused(track: track, position: 5))
    #expect(story.music.nextFrame == .endless)
    story.tell { $0.resume(at: 40_000) }
    #expect(story.states == ["preparing A", "playing A", "paused A", "playing A"])
    #expect(story.position(at: 48_000) == 6)
  }

  @Test(arguments: [(0, 0.0), (2_400, 0.3), (4_000, 0.5), (6_400, 0.8), (7_999, 7_999 / 8_000.0)])
  func `a crossfade is paused where it is`(frames: FrameCount, progress: Double) throws {
    var story = crossfading(upTo: 72_000 + frames)
    story.tell { $0.pause(at: 72_000 + frames, age: 9) }
    guard case .crossfadePaused(let from, let to, let paused, let strategy, let snapshot) = story.music.state else {
      Issue.record("\(story.music.state)")
      return
    }
    #expect(from.title == "A" && to.title == "B" && paused == progress)
    #expect(strategy == (progress < 0.5 ? .continueFromProgress : .quickFinish))
    #expect(snapshot.activePosition == Double(72_000 + frames) / 8_000)
    #expect(snapshot.inactivePosition == Double(frames) / 8_000)
    #expect(snapshot.activeVolume == Fade.falling(at: 0, over: 8_000, .equalPower).gain(at: frames))
    #expect(snapshot.inactiveVolume == Fade.rising(at: 0, over: 8_000, .equalPower).gain(at: frames))
    #expect(snapshot.originalDuration == 1 && snapshot.curve == .equalPower && snapshot.taken == 9)
  }

  @Test func `a paused crossfade goes on as if it had not been paused`() {
    var story = crossfading(upTo: 75_760)
    story.tell { $0.pause(at: 75_760) }
    #expect(story.names.suffix(2) == ["crossfade.paused", "state"])
    story.tell { $0.resume(at: 75_760, age: 300) }
    #expect(story.names.suffix(2) == ["crossfade.resumed", "state"])
    story.run(to: 80_001)
    #expect(
      story.states.suffix(9) == [
        "crossfading A → B 40%", "crossfadePaused A → B 47%", "crossfading A → B 47%", "crossfading A → B 50%",
        "crossfading A → B 60%", "crossfading A → B 70%", "crossfading A → B 80%", "crossfading A → B 90%",
        "playing B",
      ])
  }

  @Test func `a crossfade that was paused for long is hurried, and says so first`() {
    var story = crossfading(upTo: 74_000)
    story.tell { $0.pause(at: 74_000, age: 10) }
    story.events = []
    story.tell { $0.resume(at: 74_000, age: 311) }
    #expect(story.names == ["state", "crossfade.resumed", "state"])
    guard case .state(.crossfadePaused(_, _, _, .quickFinish, _), _)? = story.events.first else {
      Issue.record("\(story.events)")
      return
    }
    guard case .crossfadeResumed(0.25, .quickFinish) = story.events[1] else {
      Issue.record("\(story.events)")
      return
    }
  }

  @Test func `a hurried crossfade ends where its new fade does`() {
    let long = Story.music("B", index: 1, at: 40_000, length: 80_000, fadeIn: 40_000)
    var story = Story()
    story.start(a, at: 0)
    story.start(long, at: 40_000)
    story.run(to: 64_000)
    story.tell { $0.pause(at: 64_000) }
    var hurried = long
    hurried.fadeIn = CrossfadeOrchestrator(rate: testRate).resumed(long.fadeIn ?? .unity, at: 64_000, by: .quickFinish)
    story.tell { $0.replan(clips: [a, hurried]) }
    story.tell { $0.resume(at: 64_000) }
    story.events = []
    #expect(story.music.completionFrame == 72_000)
    story.run(to: 72_001)
    #expect(story.states.first == "crossfading A → B 64%" && story.states.last == "playing B")
    #expect(story.states.count == 10)
    #expect(story.music.refusal == nil)
  }

  @Test func `a crossfade that is sent back is cancelled, and the old track plays on`() {
    var story = crossfading(upTo: 73_000)
    var back = b
    back.fadeIn = CrossfadeOrchestrator(rate: testRate).turned(b.fadeIn ?? .unity, at: 73_000, by: .rollBack)
    story.events = []
    story.tell { $0.replan(clips: [a, back]) }
    #expect(story.names == ["crossfade.cancelled", "state"] && story.states == ["playing A"])
    #expect(story.music.completionFrame == .endless && story.music.nextFrame == .endless)
    let c = Story.music("C", index: 2, at: 73_100, length: 80_000, fadeIn: 4_000)
    story.start(c, at: 73_100)
    #expect(story.states.last == "crossfading A → C 0%")
  }

  @Test func `the next crossfade overtakes the one under way`() {
    var story = crossfading(upTo: 76_000)
    story.events = []
    story.start(Story.music("C", index: 2, at: 76_000, length: 80_000, fadeIn: 4_000), at: 76_000)
    #expect(story.names == ["crossfade.cancelled", "state", "track", "crossfade.started", "state"])
    #expect(story.states == ["playing B", "crossfading B → C 0%"])
  }

  @Test func `a listener who asks for the end hears it fade, and nothing else is told of`() {
    var story = crossfading(upTo: 74_000)
    story.tell { $0.fadeOut(at: 200_000, over: 8_000) }
    story.events = []
    story.tell { $0.finish(at: 74_000, over: 24_000) }
    story.run(to: 250_000)
    #expect(story.names == ["crossfade.cancelled", "state"] && story.states == ["fadingOut B"])
    story.conclude()
    #expect(story.states == ["fadingOut B", "finished"])
  }

  @Test func `a fade-out that is paused goes on with what is left of it`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.fadeOut(at: 40_000, over: 24_000) }
    story.run(to: 48_000)
    story.tell { $0.pause(at: 48_000) }
    story.tell { $0.resume(at: 48_000) }
    guard case .fadingOut(_, let duration) = story.music.state else {
      Issue.record("\(story.music.state)")
      return
    }
    #expect(duration == 2)
  }

  @Test func `what was planned behind a change of plan is forgotten, what sounds goes on`() {
    var story = crossfading(upTo: 74_000)
    story.tell { $0.fadeOut(at: 100_000, over: 8_000) }
    story.tell { $0.forget(from: 100_001) }
    #expect(story.music.plannedFadeOut != nil)
    story.tell { $0.forget(from: 74_000) }
    story.run(to: 120_000)
    #expect(story.states.last == "playing B")
  }

  private func crossfading(upTo frame: FrameTime) -> Story {
    var story = Story()
    story.prepare(a)
    story.start(a, at: 0)
    story.start(b, at: 72_000)
    story.run(to: frame)
    return story
  }
}
