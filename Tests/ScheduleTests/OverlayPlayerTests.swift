import Signal
import TestSupport
import Testing

@testable import Schedule

/// One stage of 80,000 frames. A clip that is cut fades out over a ramp of 160 frames.
@Suite struct OverlayPlayerTests {
  private var player = OverlayPlayer()
  private static let voice = Programme.Sound("voice", 4_000)
  private static let drone = Programme.Sound("drone", .endless)

  private static func session(_ overlays: Programme.Overlay..., length: Double = 80_000) -> Programme {
    var session = programme([Programme.Stage("A", [], for: .frames(length), overlays: overlays)])
    _ = session.assignIDs()
    return session
  }

  /// Overlays started by a command have numbers that no planned overlay has.
  private static func asked(_ sound: Programme.Sound, id: Int = 9) -> Programme.Overlay {
    var overlay = Programme.Overlay(sound: sound, at: [])
    overlay.id = id
    return overlay
  }

  private func occurrences(in session: Programme) -> [OverlayOccurrence] {
    player.occurrences(of: session, in: session.spans(of: session.layout))
  }

  private func texts(in session: Programme) -> [String] {
    occurrences(in: session).flatMap { occurrence in
      (0..<9).compactMap { occurrence.clips(of: $0) }.joined().map(\.text)
    }
  }

  @Test func `planned overlays begin at their positions, and their repeats never drift`() {
    var voice = Programme.Overlay(sound: Self.voice, at: [.afterStart(1_000), .beforeEnd(20_000.4)])
    (voice.times, voice.delay, voice.isLayer) = (.times(3), 1_000.5, true)
    let expected = [
      "voice/1.0.0.0 1000-5000", "voice/1.0.0.1 6001-10001", "voice/1.0.0.2 11001-15001",
      "voice/1.0.1.0 60000-64000", "voice/1.0.1.1 65001-69001", "voice/1.0.1.2 70001-74001",
    ]
    #expect(texts(in: Self.session(voice)) == expected)
  }

  @Test func `fades that are too long are shortened in proportion`() {
    var voice = Programme.Overlay(sound: Self.voice, at: [.afterStart(0)])
    (voice.fadeIn, voice.fadeOut) = (FadeShape(length: 6_000, curve: .linear), FadeShape(length: 2_000, curve: .linear))
    #expect(texts(in: Self.session(voice)) == ["voice/1.0.0.0 0-4000 in 0-3000 out 3000-4000"])
  }

  @Test func `a planned overlay and one started by a command replace each other alike`() {
    var player = self
    player.player.play(Self.asked(Self.drone), stage: 0, visit: 1, at: 2_000)
    let session = Self.session(
      Programme.Overlay(sound: Self.drone, at: [.afterStart(1_000)]), Programme.Overlay("voice", 4_000, at: 5_000))
    let expected = [
      "drone/1.0.0.0 1000-2160 leave 2000-2160", "voice/1.1.0.0 5000-9000", "drone/1.9.0.0 2000-5160 leave 5000-5160",
    ]
    #expect(player.texts(in: session) == expected)
  }

  @Test func `a replaced overlay ends with its own fade-out`() {
    var drone = Programme.Overlay(sound: Self.drone, at: [.afterStart(0)])
    drone.fadeOut = FadeShape(length: 3_000, curve: .linear)
    let texts = texts(in: Self.session(drone, Programme.Overlay("voice", 4_000, at: 5_000)))
    #expect(texts == ["drone/1.0.0.0 0-8000 leave 5000-8000", "voice/1.1.0.0 5000-9000"])
  }

  @Test func `of two overlays that begin at one frame, the later one stays`() {
    let session = Self.session(
      Programme.Overlay("voice", 4_000, at: 5_000), Programme.Overlay("other", 4_000, at: 5_000))
    #expect(texts(in: session) == ["other/1.1.0.0 5000-9000"])
  }

  @Test func `a layer neither replaces nor is replaced`() {
    var layer = Programme.Overlay(sound: Self.drone, at: [.afterStart(1_000)])
    layer.isLayer = true
    let texts = texts(
      in: Self.session(Programme.Overlay("voice", 4_000, at: 0), layer, Programme.Overlay("voice", 4_000, at: 2_000)))
    let expected = [
      "voice/1.0.0.0 0-2160 leave 2000-2160", "drone/1.1.0.0 1000-80000 out 79840-80000", "voice/1.2.0.0 2000-6000",
    ]
    #expect(texts == expected)
  }

  @Test func `a pause cuts a repeat into parts, and the delay between repeats waits, too`() throws {
    var player = self
    var voice = Programme.Overlay(sound: Self.voice, at: [.afterStart(1_000)])
    (voice.times, voice.delay) = (.times(2), 1_000)
    let session = Self.session(voice)
    player.recordBegun(in: session, before: 3_000)
    try player.pause(in: session, at: 3_000)
    #expect(player.texts(in: session) == ["voice/1.0.0.0 1000-3160 leave 3000-3160"])
    #expect(player.occurrences(in: session)[0].clips(of: 0)?.map(\.isPaused) == [true])
    try player.resume(in: session, at: 10_000)
    let parts = ["voice/1.0.0.0 1000-3160 leave 3000-3160", "voice/1.0.0.0+1 10000-12000 ramp 10000-10160"]
    #expect(player.texts(in: session) == parts + ["voice/1.0.0.1 13000-17000"])
    player.recordBegun(in: session, before: 12_500)
    try player.pause(in: session, at: 12_500)
    #expect(throws: EditError.noEffect("the overlays are already paused")) { try player.pause(in: session, at: 12_600) }
    #expect(player.occurrences(in: session)[0].paused?.clip.text == "voice/1.0.0.1 13000-17000")
    try player.resume(in: session, at: 20_000)
    #expect(throws: EditError.noEffect("no overlay is paused")) { try player.resume(in: session, at: 20_500) }
    #expect(player.occurrences(in: session)[0].paused == nil)
    #expect(player.texts(in: session) == parts + ["voice/1.0.0.1 20500-24500"])
  }

  @Test func `a pause without a length is ignored, and an overlay that has not begun or has ended is not paused`()
    throws
  {
    var player = self
    let session = Self.session(Programme.Overlay("voice", 4_000, at: 1_000))
    #expect(throws: EditError.noOverlay) { try player.pause(in: session, at: 500) }
    #expect(throws: EditError.noOverlay) { try player.resume(in: session, at: 700) }
    try player.pause(in: session, at: 2_000)
    try player.resume(in: session, at: 2_000)
    #expect(throws: EditError.noOverlay) { try player.pause(in: session, at: 5_000) }
    #expect(player.texts(in: session) == ["voice/1.0.0.0 1000-5000"])
  }

  @Test func `an overlay can be paused and changed in the frame in which a command starts it`() throws {
    var player = self
    let session = Self.session()
    player.player.play(Self.asked(Self.voice), stage: 0, visit: 1, at: 2_000)
    try player.pause(in: session, at: 2_000)
    #expect(player.texts(in: session).isEmpty)
    #expect(player.occurrences(in: session)[0].paused?.clip.text == "voice/1.9.0.0 2000-6000")
    try player.resume(in: session, at: 3_000)
    #expect(player.texts(in: session) == ["voice/1.9.0.0 3000-7000"])
    player.player.play(Self.asked(Self.voice, id: 10), stage: 0, visit: 1, at: 9_000)
    try player.player.change(.times(2), delay: 0, among: player.occurrences(in: session), at: 9_000)
    let repeats = ["voice/1.10.0.0 9000-13000", "voice/1.10.0.1 13000-17000"]
    #expect(player.texts(in: session) == ["voice/1.9.0.0 3000-7000"] + repeats)
  }

  @Test func `a stop ends the overlays that have begun, and no others`() {
    var player = self
    var voice = Programme.Overlay(sound: Self.voice, at: [.afterStart(1_000), .afterStart(30_000)])
    (voice.times, voice.delay) = (.times(3), 0)
    let session = Self.session(voice)
    player.player.play(Self.asked(Self.drone), stage: 0, visit: 1, at: 6_000)
    player.recordBegun(in: session, before: 6_000)
    player.player.stop(at: 6_000)
    let expected = [
      "voice/1.0.0.0 1000-5000", "voice/1.0.0.1 5000-6160 leave 6000-6160", "voice/1.0.1.0 30000-34000",
      "voice/1.0.1.1 34000-38000", "voice/1.0.1.2 38000-42000",
    ]
    #expect(player.texts(in: session) == expected)
  }

  @Test func `an overlay that has begun keeps its position`() {
    var player = self
    let end = Programme.Overlay(sound: Self.voice, at: [.beforeEnd(70_000), .beforeEnd(10_000)])
    player.recordBegun(in: Self.session(end), before: 12_000)
    let longer = Self.session(end, length: 100_000)
    #expect(player.texts(in: longer) == ["voice/1.0.0.0 10000-14000", "voice/1.0.1.0 90000-94000"])
  }

  @Test func `leaving a stage removes its overlays`() {
    var player = self
    player.player.play(Self.asked(Self.voice), stage: 0, visit: 1, at: 1_000)
    player.player.leave(visit: 1)
    #expect(player.texts(in: Self.session()) == [])
  }

  @Test func `an overlay in the last stage waits for its next repeat until the stage or the next overlay ends it`()
    throws
  {
    var voice = Programme.Overlay(sound: Self.voice, at: [.afterStart(1_000)])
    (voice.times, voice.delay) = (.forever, 3_000)
    for (next, end) in [(nil, 80_000), (60_000, 60_000)] as [(Double?, FrameTime)] {
      var player = self
      let others = next.map { [Programme.Overlay("other", 4_000, at: $0)] } ?? []
      var session = Self.session(voice)
      session.stages[0].overlays += others
      _ = session.assignIDs()
      try player.pause(in: session, at: 6_000)
      #expect(player.occurrences(in: session)[0].paused?.end == end)
      #expect(player.isCurrent(in: session, at: end - 1) && !player.isCurrent(in: session, at: end))
    }
  }

  private func isCurrent(in session: Programme, at frame: FrameTime) -> Bool {
    player.current(among: occurrences(in: session), at: frame).contains { $0.key.cue == 0 }
  }

  private mutating func pause(in session: Programme, at frame: FrameTime) throws(EditError) {
    recordBegun(in: session, before: frame)
    try player.pause(among: occurrences(in: session), at: frame)
  }

  private mutating func resume(in session: Programme, at frame: FrameTime) throws(EditError) {
    recordBegun(in: session, before: frame)
    try player.resume(among: occurrences(in: session), at: frame)
  }

  private mutating func recordBegun(in session: Programme, before frame: FrameTime) {
    player.recordBegun(occurrences(in: session), before: frame)
  }
}

/// Changes how often the current overlay repeats.
extension OverlayPlayerTests {
  private mutating func change(
    _ times: Programme.Times, delay: Double, in session: Programme, at frame: FrameTime
  ) throws(EditError) {
    recordBegun(in: session, before: frame)
    try player.change(times, delay: delay, among: occurrences(in: session), at: frame)
  }

  @Test func `a new number of repeats counts from the next repeat`() throws {
    var player = self
    let session = Self.session(Programme.Overlay("voice", 4_000, at: 1_000))
    try player.change(.times(3), delay: 500, in: session, at: 2_000)
    #expect(
      player.texts(in: session) == ["voice/1.0.0.0 1000-5000", "voice/1.0.0.1 5500-9500", "voice/1.0.0.2 10000-14000"])
    try player.change(.times(2), delay: 0, in: session, at: 6_000)
    #expect(
      player.texts(in: session) == ["voice/1.0.0.0 1000-5000", "voice/1.0.0.1 5500-9500", "voice/1.0.0.2 9500-13500"])
    #expect(throws: EditError.noEffect("the overlay already repeats like that")) {
      try player.change(.times(1), delay: 0, in: session, at: 10_000)
    }
  }

  @Test func `between two repeats, and in a pause, a change counts from the next repeat, which keeps its time`() throws
  {
    var player = self
    var voice = Programme.Overlay(sound: Self.voice, at: [.afterStart(1_000)])
    (voice.times, voice.delay) = (.times(2), 5_000)
    let session = Self.session(voice)
    try player.change(.times(2), delay: 0, in: session, at: 6_000)
    let first = "voice/1.0.0.0 1000-5000"
    #expect(
      player.texts(in: session) == [first, "voice/1.0.0.1 10000-14000", "voice/1.0.0.2 14000-18000"])
    #expect(throws: EditError.noEffect("the overlay already repeats like that")) {
      try player.change(.times(2), delay: 0, in: session, at: 7_000)
    }
    try player.pause(in: session, at: 8_000)
    try player.change(.times(2), delay: 100, in: session, at: 9_000)
    try player.resume(in: session, at: 20_000)
    #expect(player.texts(in: session) == [first, "voice/1.0.0.1 22000-26000", "voice/1.0.0.2 26100-30100"])
  }

  @Test func `an overlay that repeats forever stops with its stage`() throws {
    var player = self
    let session = Self.session(Programme.Overlay("voice", 4_000, at: 1_000), length: 12_000)
    try player.change(.forever, delay: 0, in: session, at: 1_001)
    #expect(player.texts(in: session).last == "voice/1.0.0.2 9000-13000" && player.texts(in: session).count == 3)
  }

  @Test func `a repeat applies to the overlay that began last, and is rejected if there is none`() throws {
    var player = self
    var layer = Programme.Overlay("layer", 20_000, at: 0)
    layer.isLayer = true
    let session = Self.session(layer, Programme.Overlay("voice", 4_000, at: 1_000))
    try player.change(.times(2), delay: 0, in: session, at: 2_000)
    let expected = ["layer/1.0.0.0 0-20000", "voice/1.1.0.0 1000-5000", "voice/1.1.0.1 5000-9000"]
    #expect(player.texts(in: session) == expected)
    #expect(throws: EditError.noOverlay) { try player.change(.times(2), delay: 0, in: session, at: 30_000) }
  }
}
