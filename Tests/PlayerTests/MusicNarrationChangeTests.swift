import Engine
@testable import Player
import Schedule
import Signal
import Testing

/// What the listener does to the music while it is paused, or paused alone.
@Suite struct MusicNarrationChangeTests {
  let a = Story.music("A", index: 0, at: 0, length: 80_000)
  let b = Story.music("B", index: 1, at: 72_000, length: 80_000, fadeIn: 8_000)

  @Test func `music that is paused alone is later by the length of the pause`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.pause(at: 40_000) }
    #expect(story.position(at: 56_000) == 5)
    story.tell { $0.resume(at: 64_000) }
    #expect(story.position(at: 72_000) == 6)
  }

  @Test(arguments: [true, false])
  func `a crossfade paused alone ends later by as much, whoever moves it`(isReplanned: Bool) {
    var story = Story()
    story.start(a, at: 0)
    story.start(b, at: 72_000)
    story.run(to: 75_760)
    story.tell { $0.pause(at: 75_760) }
    story.run(to: 200_000)
    if isReplanned { story.tell { $0.replan(clips: [later(a), later(b)]) } }
    story.tell { $0.resume(at: 175_760) }
    #expect(story.music.completionFrame == 180_000)
    #expect(story.music.nextFrame == 176_000)
    #expect(story.position(at: 176_000) == 0.5)
    story.run(to: 180_001)
    #expect(story.states.suffix(2) == ["crossfading A → B 90%", "playing B"])
  }

  @Test func `seeking is the same track elsewhere`() {
    var story = Story()
    story.start(a, at: 0)
    let track = story.music.state.currentTrack
    story.events = []
    let moved = a.sought(to: -40_000)
    story.start(moved, at: 8_000)
    story.tell { $0.end(a, at: 8_160) }
    #expect(story.events.isEmpty && story.position(at: 8_000) == 6)
    #expect(story.music.state.currentTrack == track)
  }

  @Test func `a track that repeats is a new playing of it`() {
    var story = Story()
    story.start(a, at: 0)
    let again = Story.music("A", index: 0, pass: 1, at: 72_000, length: 80_000, fadeIn: 8_000)
    story.start(again, at: 72_000)
    #expect(story.states.last == "crossfading A → A 0%" && story.music.refusal == nil)
  }

  @Test func `seeking in a pause moves the position that is shown`() throws {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.pause(at: 8_000) }
    let moved = a.sought(to: -40_000)
    story.tell { $0.replan(clips: [moved]) }
    let track = try #require(story.music.state.currentTrack)
    #expect(story.music.state == .paused(track: track, position: 6))
    story.tell { $0.resume(at: 8_000) }
    story.start(moved, at: 8_000)
    #expect(story.position(at: 16_000) == 7 && story.music.state == .playing(track: track))
  }

  @Test func `skipping in a pause shows the other track, which then plays`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.pause(at: 8_000) }
    var next = b
    next.at = 8_000
    next.fadeIn = nil
    story.events = []
    story.tell { $0.replan(clips: [next]) }
    story.tell { $0.resume(at: 8_000) }
    story.start(next, at: 8_000)
    #expect(story.names == ["state", "state", "track"])
    #expect(story.states == ["paused B", "playing B"] && story.music.refusal == nil)
  }

  @Test func `skipping out of a paused crossfade leaves both of its tracks`() {
    var story = Story()
    story.start(a, at: 0)
    story.start(b, at: 72_000)
    story.run(to: 75_760)
    story.tell { $0.pause(at: 75_760) }
    let c = Story.music("C", index: 2, at: 75_760, length: 80_000)
    story.events = []
    story.tell { $0.replan(clips: [c]) }
    story.tell { $0.resume(at: 75_760) }
    story.start(c, at: 75_760)
    #expect(story.names == ["crossfade.cancelled", "state", "state", "track"])
    #expect(story.states == ["paused C", "playing C"] && story.music.refusal == nil)
  }

  @Test func `a silent stage can be paused`() {
    var story = Story()
    story.tell { $0.fallSilent() }
    story.tell { $0.pause(at: 100) }
    story.tell { $0.resume(at: 100) }
    #expect(story.states == ["playing", "paused", "playing"] && story.music.refusal == nil)
  }

  @Test func `what is asked for twice, or where it makes no sense, is told once or not at all`() {
    var story = Story()
    story.tell { $0.resume(at: 0) }
    story.tell { $0.pause(at: 0) }
    #expect(story.events.isEmpty)
    story.start(a, at: 0)
    story.tell { $0.pause(at: 100) }
    story.events = []
    story.tell { $0.pause(at: 100) }
    #expect(story.events.isEmpty)
  }

  @Test func `a track that begins beneath a fade-out changes nothing but its name`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.fadeOut(at: 40_000, over: 80_000) }
    story.run(to: 72_000)
    story.events = []
    story.start(b, at: 72_000)
    story.run(to: 100_000)
    #expect(story.names == ["track"] && story.music.state.kind == .fadingOut)
  }

  @Test func `an output that is lost ends in a failure that can be mended`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.conclude(.lost(cause: "gone")) }
    #expect(story.music.state == .failed(error: .outputFailed(.lost(cause: "gone")), recoverable: true))
  }

  @Test func `who goes back from the fade-out hears the other track alone again`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.fadeOut(at: 40_000, over: 24_000) }
    story.run(to: 48_000)
    story.tell { $0.forget(from: 48_000) }
    story.start(Story.music("C", index: 2, at: 48_000, length: 80_000, fadeIn: 4_000), at: 48_000)
    #expect(story.states.suffix(2) == ["fadingOut A", "crossfading A → C 0%"] && story.music.refusal == nil)
  }

  @Test func `music paused alone falls silent without ending, and is taken up again without a word`() {
    var story = Story()
    story.start(a, at: 0)
    story.start(b, at: 72_000)
    story.run(to: 100_000)
    story.tell { $0.pause(at: 100_000) }
    story.tell { $0.end(b, at: 100_160) }
    story.events = []
    story.tell { $0.resume(at: 200_000) }
    story.start(later(b), at: 200_000)
    #expect(story.names == ["state"] && story.states == ["playing B"] && story.position(at: 200_000) == 3.5)
  }

  @Test func `a track that is opened on demand is told of, whether it begins or not`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.prepareCrossfade(to: b) }
    story.tell { $0.abandonCrossfade() }
    story.tell { $0.prepareCrossfade(to: b) }
    story.start(b, at: 72_000)
    #expect(
      story.states.dropFirst(2) == [
        "preparingCrossfade A → B", "playing A", "preparingCrossfade A → B", "crossfading A → B 0%",
      ])
    #expect(story.music.refusal == nil)
  }

  @Test func `another track than the one that was opened can begin`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.prepareCrossfade(to: b) }
    story.start(Story.music("C", index: 2, at: 40_000, length: 80_000), at: 40_000)
    #expect(story.states.last == "playing C" && story.music.refusal == nil)
  }

  @Test func `a fade-out that was to begin in a pause begins after it`() {
    var story = Story()
    story.start(a, at: 0)
    story.tell { $0.fadeOut(at: 40_000, over: 24_000) }
    story.tell { $0.pause(at: 32_000) }
    story.tell { $0.resume(at: 48_000) }
    #expect(story.music.nextFrame == 48_000)
    story.run(to: 48_001)
    guard case .fadingOut(_, let duration) = story.music.state else {
      Issue.record("\(story.music.state)")
      return
    }
    #expect(duration == 2)
  }

  private func later(_ clip: Clip) -> Clip {
    var moved = clip
    moved.id.part += 1
    moved.at += 100_000
    moved.fadeIn?.start += 100_000
    moved.fadeOut?.start += 100_000
    return moved
  }
}
