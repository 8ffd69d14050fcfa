import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// At 8,000 Hz, the ramp of a pause lasts 160 frames.
@Suite struct PauseTests {
  let library = TestLibrary([
    "noise": .noise(seed: 1, length: 40_000), "hiss": .noise(seed: 2, length: 40_000),
    "bell": .noise(seed: 3, length: 12_000, level: 0.1), "voice": .noise(seed: 4, length: 20_000, level: 0.1),
  ])

  /// A crossfade of two seconds, from frame 24,000 to frame 40,000.
  private func session(overlays: [Programme.Overlay] = []) -> Programme {
    let shape = FadeShape(length: 16_000, curve: .equalPower)
    let tracks = [track("noise", 40_000), track("hiss", 40_000)]
    return programme([
      Programme.Stage("A", tracks, for: .frames(64_000), crossfade: shape, overlays: overlays)
    ])
  }

  @Test(arguments: 0...10)
  func `a crossfade paused at any tenth continues as if it had not been paused`(tenth: Int) async {
    let whole = await perform(session(), library)
    let at = 3 + 0.2 * Double(tenth)
    let log = CommandLog()
    let paused = await perform(
      session(), library, doing: TimedCommands([(at, [.pause]), (at + 60, [.resume])], log: log))
    #expect(log.outcomes == [.done, .done])
    let frame = Int(at * 8_000)
    let around = frame..<(frame + 320)
    let isSame = paused.frames.indices.allSatisfy { around.contains($0) || paused.frames[$0] == whole.frames[$0] }
    // From its middle on, a resumed crossfade ends within a second, which is what remains of two seconds at the middle.
    #expect(isSame && paused.frames.count == whole.frames.count)
    let gate = (0..<160).map { 1 - FadeCurve.sCurve.gain(at: Double($0) / 160) }
    let isClosing = (0..<160).allSatisfy { abs(paused.left[frame + $0] - whole.left[frame + $0] * gate[$0]) < 1e-6 }
    #expect(isClosing)
    #expect(abs(paused.left[frame + 160]) < 1e-4)
  }

  @Test func `the session clock stops during a pause and continues after it`() async {
    let log = CommandLog()
    let played = await perform(
      session(), library, doing: TimedCommands([(1, [.pause]), (361, [.resume]), (362, [])], log: log))
    #expect(log.moments.map(\.state) == ["playing", "paused", "playing"])
    #expect(log.moments.map(\.session) == [1, 1.02, 2.02])
    #expect(log.moments.map(\.run) == [1, 361, 362])
    #expect(log.moments.map(\.position) == [1, 1, 2.02])
    #expect(played.events.last?.run == 360 - 0.02 + 8)
  }

  @Test func `a pause fades out a ringing gong, and a gong due during the ramp sounds after the pause`() async {
    let bell = Programme.Gong("bell", 12_000, at: 4_000, 8_100)
    let silent = programme([Programme.Stage("A", [], for: .frames(32_000), gongs: [bell])])
    let played = await perform(silent, library, doing: TimedCommands([(1, [.pause]), (100, [.resume])]))
    let sound = TestLibrary.Sound.noise(seed: 3, length: 12_000, level: 0.1)
    #expect(played.frames[7_999] == sound.sample(3_999))
    // The first strike has been faded out. After the pause the second one sounds alone and complete, from the end of
    // the pause.
    let isSecond = (160..<12_000).allSatisfy { played.frames[8_160 + $0] == sound.sample(FrameTime($0)) }
    #expect(isSecond)
    #expect(played.events.count { if case .gong = $0.event { true } else { false } } == 2)
  }

  @Test func `a paused overlay continues where it stopped`() async {
    let voice = Programme.Overlay("voice", 20_000, at: 4_000)
    let session = session(overlays: [voice])
    let whole = await perform(session, library)
    let paused = await perform(session, library, doing: TimedCommands([(1, [.pause]), (2, [.resume])]))
    let isSame = paused.frames.indices.allSatisfy { 8_000..<8_320 ~= $0 || paused.frames[$0] == whole.frames[$0] }
    #expect(isSame && paused.frames.count == whole.frames.count)
    #expect(paused.events.count { if case .overlayStarted = $0.event { true } else { false } } == 1)
  }
}
