import Engine
@testable import Player
import Signal
import TestSupport
import Testing

/// At 8,000 Hz the ramp of a pause is 160 frames.
@Suite struct PauseTests {
  let library = TestLibrary([
    "noise": .noise(seed: 1, length: 40_000), "hiss": .noise(seed: 2, length: 40_000),
    "bell": .noise(seed: 3, length: 12_000, level: 0.1), "voice": .noise(seed: 4, length: 20_000, level: 0.1),
  ])

  /// A crossfade of two seconds from frame 24,000 to 40,000.
  private func session(cues: [Placement] = []) -> Programme {
    let shape = FadeShape(length: 16_000, curve: .equalPower)
    let plan = music([track("noise", 40_000), track("hiss", 40_000)], crossfade: shape)
    return programme([Programme.Stage(name: "A", begin: 0, end: 64_000, music: plan, cues: cues)])
  }

  @Test(arguments: 0...10)
  func `paused at every tenth of a crossfade it goes on as if it had not been`(tenth: Int) async {
    let whole = await perform(session(), library)
    let at = 3 + 0.2 * Double(tenth)
    let log = CommandLog()
    let paused = await perform(
      session(), library, doing: TimedCommands([(at, [.pause]), (at + 60, [.resume])], log: log))
    #expect(log.outcomes == [.done, .done])
    let frame = Int(at * 8_000)
    let around = frame..<(frame + 320)
    let isSame = paused.frames.indices.allSatisfy { around.contains($0) || paused.frames[$0] == whole.frames[$0] }
    // Above half a crossfade is over in a second: of two seconds, that is what it has left.
    #expect(isSame && paused.frames.count == whole.frames.count)
    let gate = (0..<160).map { 1 - FadeCurve.sCurve.gain(at: Double($0) / 160) }
    let isClosing = (0..<160).allSatisfy { abs(paused.left[frame + $0] - whole.left[frame + $0] * gate[$0]) < 1e-6 }
    #expect(isClosing)
    #expect(abs(paused.left[frame + 160]) < 1e-4)
  }

  @Test func `the clocks stand and go on`() async {
    let log = CommandLog()
    let played = await perform(
      session(), library, doing: TimedCommands([(1, [.pause]), (361, [.resume]), (362, [])], log: log))
    #expect(log.moments.map(\.state) == ["playing", "paused", "playing"])
    #expect(log.moments.map(\.session) == [1, 1.02, 2.02])
    #expect(log.moments.map(\.run) == [1, 361, 362])
    #expect(log.moments.map(\.position) == [1, 1, 2.02])
    #expect(played.events.last?.run == 360 - 0.02 + 8)
  }

  @Test func `a ringing gong is faded out, and one that is due in the ramp comes after the pause`() async {
    let bell = { (at: FrameTime) in
      Placement(layer: .effect, source: TestLibrary.source("bell"), title: "bell", stage: 0, at: at, length: 12_000)
    }
    let silent = programme([
      Programme.Stage(name: "A", begin: 0, end: 32_000, music: music([]), cues: [bell(4_000), bell(8_100)])
    ])
    let played = await perform(silent, library, doing: TimedCommands([(1, [.pause]), (100, [.resume])]))
    let sound = TestLibrary.Sound.noise(seed: 3, length: 12_000, level: 0.1)
    #expect(played.frames[7_999] == sound.sample(3_999))
    // It has rung: behind the pause there is the second one alone, whole from its beginning at the pause's end.
    let isSecond = (160..<12_000).allSatisfy { played.frames[8_160 + $0] == sound.sample(FrameTime($0)) }
    #expect(isSecond)
    #expect(played.events.count { if case .gong = $0.event { true } else { false } } == 2)
  }

  @Test func `an overlay goes on in its middle`() async {
    let voice = Placement(
      layer: .overlay, source: TestLibrary.source("voice"), title: "voice", stage: 0, at: 4_000, length: 20_000)
    let whole = await perform(session(cues: [voice]), library)
    let paused = await perform(session(cues: [voice]), library, doing: TimedCommands([(1, [.pause]), (2, [.resume])]))
    let isSame = paused.frames.indices.allSatisfy { 8_000..<8_320 ~= $0 || paused.frames[$0] == whole.frames[$0] }
    #expect(isSame && paused.frames.count == whole.frames.count)
    #expect(paused.events.count { if case .overlayStarted = $0.event { true } else { false } } == 1)
  }
}
