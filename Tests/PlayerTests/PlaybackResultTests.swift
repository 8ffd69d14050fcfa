import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

@Suite struct PerformanceTests {
  let library = TestLibrary([
    "half": .constant(0.5, length: 10_000), "quarter": .constant(0.25, length: 10_000),
    "tick": .constant(0.125, length: 100), "noise": .noise(seed: 1, length: 30_000),
    "hiss": .noise(seed: 2, length: 30_000), "broken": .init(length: 10_000, brokenAt: 4_000) { _ in Frame(mono: 0.5) },
  ])

  @Test func `a track plays unchanged from its first frame to its last`() async {
    let stage = Programme.Stage("A", [track("half", 10_000)], for: .frames(10_000))
    let played = await perform(programme([stage]), library)
    #expect(played.left == Array(repeating: 0.5, count: 10_000))
    #expect(played.performance.reason == .completed)
  }

  @Test func `noise is reproduced bit for bit`() async {
    let stage = Programme.Stage("A", [track("noise", 30_000)], for: .frames(30_000))
    let played = await perform(programme([stage]), library)
    let noise = TestLibrary.Sound.noise(seed: 1, length: 30_000)
    #expect(played.frames == (0..<30_000).map { noise.sample($0) })
  }

  @Test func `tracks without a crossfade play gaplessly`() async {
    let tracks = [track("half", 10_000), track("quarter", 10_000)]
    let stage = Programme.Stage("A", tracks, for: .frames(20_000))
    let played = await perform(programme([stage]), library)
    #expect(played.left == Array(repeating: 0.5, count: 10_000) + Array(repeating: 0.25, count: 10_000))
    #expect(!played.events.contains { if case .state(.playing(nil), _) = $0.event { true } else { false } })
  }

  @Test(arguments: FadeCurve.allCases)
  func `a crossfade is the sum of both curves at each frame`(curve: FadeCurve) async {
    let shape = FadeShape(length: 1_000, curve: curve)
    let tracks = [track("half", 10_000), track("quarter", 10_000)]
    let stage = Programme.Stage("A", tracks, for: .frames(19_000), crossfade: shape)
    let played = await perform(programme([stage]), library)
    for frame in 9_000..<10_000 {
      let p = Double(frame - 9_000) / 1_000
      let expected = 0.5 * curve.gain(at: 1 - p) + 0.25 * curve.gain(at: p)
      #expect(played.left[frame] == expected, "frame \(frame)")
    }
    #expect(played.left[8_999] == 0.5 && played.left[10_000] == 0.25)
  }

  @Test func `a gong sounds at its frame and rings out after the music`() async {
    let gong = Programme.Gong("tick", 100, at: 9_950)
    let stage = Programme.Stage("A", [track("half", 10_000)], for: .frames(10_000), gongs: [gong])
    let played = await perform(programme([stage]), library)
    #expect(played.left.count == 10_050)
    #expect(played.left[9_949] == 0.5 && played.left[9_950] == 0.625 && played.left[9_999] == 0.625)
    #expect(played.left[10_000] == 0.125 && played.left[10_049] == 0.125)
    let frames = played.events.compactMap { if case .gong = $0.event { $0.session } else { nil } }
    #expect(frames == [9_950 / 8_000.0])
  }

  @Test func `the block size never changes a sample or an event`() async {
    let reference = await perform(richProgramme, library, blockLength: 480)
    #expect(reference.frames.count == 59_000)
    for length in [1, 7, 1_000, 4_096, 60_000] {
      let other = await perform(richProgramme, library, blockLength: length)
      #expect(other.frames == reference.frames, "block of \(length)")
      #expect(other.lines == reference.lines, "block of \(length)")
      #expect(other.events.map(\.position) == reference.events.map(\.position), "block of \(length)")
    }
  }

  @Test func `a session started in its middle sounds like the rest of the whole session`() async {
    let whole = await perform(richProgramme, library)
    let rest = await perform(richProgramme, library, from: 29_300)
    #expect(rest.frames == Array(whole.frames[29_300...]))
  }

  @Test func `an overlay ducks the music, which then returns to its level`() async {
    let duck = Duck(depth: Gain(linear: 0.5), attack: 50, release: 400)
    let voice = Programme.Overlay("tick", 100, at: 2_000, ducking: duck)
    let stage = Programme.Stage("A", [track("half", 10_000)], for: .frames(10_000), overlays: [voice])
    let played = await perform(programme([stage]), library)
    #expect(played.left[1_999] == 0.5 && played.left[2_000] == 0.625)
    #expect(played.left[2_050] == 0.375 && played.left[2_099] == 0.375 && played.left[2_100] == 0.25)
    #expect(played.left[2_500] == 0.5)
  }

  @Test func `a source that fails during playback is reported, and the session continues`() async {
    let tracks = [track("broken", 10_000), track("quarter", 10_000)]
    let stage = Programme.Stage("A", tracks, for: .frames(20_000))
    let played = await perform(programme([stage]), library)
    #expect(played.left[3_999] == 0.5 && played.left[4_000] == 0 && played.left[10_000] == 0.25)
    #expect(played.performance.damage == [.damaged(path: "broken", atSecond: 0, cause: "the test broke it")])
  }

  @Test func `sound above full scale is limited, and the sound before it is unchanged`() async {
    let loud = TestLibrary(["loud": .init(length: 20_000) { Frame(mono: $0 < 10_000 ? 0.9 : 1.8) }])
    let stage = Programme.Stage("A", [track("loud", 20_000)], for: .frames(20_000))
    let played = await perform(programme([stage]), loud)
    #expect(played.left[..<9_960].allSatisfy { $0 == 0.9 })
    #expect(played.left.allSatisfy { abs($0) <= 1 })
    #expect(played.left[19_000] > 0.999)
  }

  /// Two stages with crossfades, repeats, ducked overlays and overlapping gongs.
  private var richProgramme: Programme {
    let (shape, last) = (FadeShape(length: 2_000, curve: .equalPower), FadeShape(length: 2_000, curve: .sCurve))
    var voice = Programme.Overlay(
      "noise", 4_000, at: 28_000, ducking: Duck(depth: Gain(linear: 0.3), attack: 300, release: 3_000))
    voice.fadeIn = FadeShape(length: 500, curve: .logarithmic)
    let tracks = [track("noise", 10_000), track("hiss", 7_000)]
    var session = programme(
      [
        Programme.Stage(
          "A", tracks, for: .frames(30_000), repetition: .playlist, crossfade: shape, overlays: [voice]),
        Programme.Stage("B", [track("hiss", 30_000)], for: .frames(28_900), crossfade: last),
      ], fadeIn: 500, fadeOut: 4_000)
    session.gongs = [Programme.Gong("tick", 100, at: 12_345, 12_399, 29_200, 58_900)]
    return session
  }
}
