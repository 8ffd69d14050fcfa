import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// Commands near the end of a track, a stage or a fade, and several commands at one instant.
///
/// Levels identify the tracks: a is 0.5, b 0.25, c 0.125, each ten seconds long. Crossfades are linear.
@Suite struct AwkwardMomentTests {
  let library = TestLibrary([
    "a": .constant(0.5, length: 80_000), "b": .constant(0.25, length: 80_000), "c": .constant(0.125, length: 80_000),
    "bell": .constant(0.0625, length: 8_000), "voice": .constant(0.03125, length: 16_000),
  ])

  private func stage(
    _ name: String, _ tracks: [String], for duration: Programme.StageDuration = .natural, crossfade seconds: Double = 2,
    overlays: [Programme.Overlay] = [], gongs: [Programme.Gong] = []
  ) -> Programme.Stage {
    let shape = FadeShape(length: testRate.frames(seconds), curve: .linear)
    return Programme.Stage(
      name, tracks.map { track($0, 80_000) }, for: duration, crossfade: shape, overlays: overlays, gongs: gongs)
  }

  private func play(
    _ stages: [Programme.Stage], fadeOut: FrameCount = 0, _ commands: [(Double, [Command])] = []
  ) async -> RenderedProgramme {
    await perform(programme(stages, fadeOut: fadeOut), library, doing: TimedCommands(commands))
  }

  private func states(_ played: RenderedProgramme) -> [String] {
    played.events.compactMap { if case .state(let state, _) = $0.event { "\($0.session) \(state)" } else { nil } }
  }

  private func names(_ played: RenderedProgramme, _ prefix: String) -> [String] {
    played.events.map(\.event.name).filter { $0.hasPrefix(prefix) && $0 != "crossfade.progress" }
  }

  /// The largest difference of two neighbouring samples.
  private func largestStep(_ played: RenderedProgramme) -> Float {
    zip(played.left, played.left.dropFirst()).map { abs($0 - $1) }.max() ?? 0
  }

  /// No step of a ramp of 20 ms (160 frames) between two levels of these tracks is larger.
  private let smooth: Float = 0.01

  @Test func `an edit just before the end of a track applies the new fade without a click`() async {
    let played = await play(
      [stage("A", ["a", "b"], crossfade: 0)], [(9.95, [.crossfade(duration: 4, curve: .exponential)])])
    #expect(largestStep(played) < smooth)
  }

  @Test func `the outgoing track of a running crossfade follows the stage's new ending`() async {
    let edited = await play(
      [stage("A", ["a", "b"], crossfade: 4)], fadeOut: 72_000, [(7, [.playlist(.append([Cue("c")]))])])
    let planned = await play([stage("A", ["a", "b", "c"], crossfade: 4)], fadeOut: 72_000)
    let isSame = edited.left == planned.left
    #expect(isSame && edited.left.count == 22 * 8_000)
  }

  @Test func `a crossfade that ends where its stage ends is complete`() async {
    let played = await play([stage("A", ["a", "b"], for: .frames(80_000)), stage("B", ["c"])])
    #expect(
      names(played, "crossfade.")
        == ["crossfade.started", "crossfade.completed", "crossfade.started", "crossfade.completed"])
    #expect(!states(played).contains { $0.contains("fadingOut") })
  }

  @Test func `a session that is finished shortly before its end fades over the rest`() async {
    let played = await play([stage("A", ["a"], for: .frames(72_000))], [(8, [.finish(fade: 3)])])
    #expect(played.left.count == 72_000 && abs(played.left[68_000] - 0.25) < 1e-3 && largestStep(played) < smooth)
    let durations = played.events.compactMap { event in
      if case .state(.fadingOut(_, let duration), _) = event.event { duration } else { nil }
    }
    #expect(durations == [1])
  }

  @Test func `a session that is finished before a crossfade into the next stage ends with its music`() async {
    let played = await play([stage("A", ["a"]), stage("B", ["b"])], [(7, [.finish(fade: 30)])])
    #expect(played.left.count == 80_000 && names(played, "track").count == 1)
  }

  @Test func `a session that resumes and ends in one instant fades out`() async {
    let played = await play([stage("A", ["a"])], [(2, [.pause]), (2.5, [.resume, .next])])
    let resumed = 16_160
    let middle = played.left.dropFirst(resumed + 12_000).first ?? 0
    #expect(played.left.count == resumed + 24_000 && abs(middle - 0.25) < 1e-3)
  }

  @Test func `a second finish does not start the cues that the first one has suppressed`() async {
    let gongs = [Programme.Gong("bell", 8_000, at: 120_000)]
    let stages = [stage("A", [], for: .frames(480_000), gongs: gongs)]
    let played = await play(stages, [(10, [.finish(fade: 30)]), (20, [.finish(fade: 5)])])
    #expect(names(played, "gong") == [] && played.left.allSatisfy { $0 == 0 })
  }

  @Test func `an edit in the frame between two gapless tracks sounds as planned`() async {
    let edited = await play([stage("A", ["a", "b"], crossfade: 0)], [(10, [.repetition(.playlist, count: 1)])])
    let planned = stage("A", ["a", "b", "a", "b"], crossfade: 0)
    let isSame = await edited.left == play([planned]).left
    #expect(isSame)
  }

  @Test func `next at the boundary of two gapless tracks moves on from the track that begins there`() async {
    let played = await play([stage("A", ["a", "b", "c"], crossfade: 0)], [(10, [.next]), (11, [.seek(.to(1))])])
    #expect(played.left[79_999] == 0.5 && played.left[81_000] == 0.125)
    #expect(
      played.events.contains { if case .track("c", index: 2, _, _) = $0.event { $0.session == 10 } else { false } })
  }

  @Test func `a seek within the ramp into a pause does not click, and the crossfade it leads to is reported`() async {
    let played = await play([stage("A", ["a", "b"])], [(3, [.pause, .seek(.to(9))]), (4, [.resume])])
    #expect(largestStep(played) < smooth)
    #expect(names(played, "crossfade.") == ["crossfade.started", "crossfade.completed"])
    let later = await play([stage("A", ["a", "b"])], [(3, [.pause]), (5, [.seek(.to(9))]), (6, [.resume])])
    #expect(names(later, "crossfade.") == ["crossfade.started", "crossfade.completed"])
  }

  @Test func `a pause that ends within its ramp at the end of a stage repeats no event`() async {
    let stages = [stage("A", ["a"], for: .frames(40_000), crossfade: 0), stage("B", ["b"], crossfade: 0)]
    let played = await play(stages, [(4.99, [.pause]), (4.995, [.resume])])
    #expect(names(played, "stage.started").count == 2 && names(played, "track").count == 2)
    #expect(played.performance.totals.tracks == 2)
  }

  @Test func `the outgoing track fades out if the incoming one is removed at the beginning of a crossfade`() async {
    let played = await play(
      [stage("A", ["a", "b"], for: .frames(160_000), crossfade: 4)].map {
        var stage = $0
        stage.playlist.repetition = .off
        return stage
      }, [(6.4, [.playlist(.remove(at: 1))])])
    #expect(largestStep(played) < smooth && played.left[52_000] < 0.5 && played.left[81_000] == 0)
  }

  @Test func `music that is paused between two gapless tracks resumes with the second one`() async {
    let commands: [(Double, [Command])] = [(10, [.music(.pause)]), (10.01, [.music(.resume)])]
    let played = await play([stage("A", ["a", "b"], crossfade: 0)], commands)
    #expect(names(played, "track").count == 2 && played.left[81_000] == 0.25 && played.left.count == 160_080)
  }

  @Test func `of two seeks at one frame, only the last one is heard`() async {
    // The first one leads into the crossfade, in which b is the current track.
    let played = await play([stage("A", ["a", "b"])], [(3, [.seek(.to(9)), .seek(.to(1))])])
    #expect(names(played, "crossfade.") == [] && names(played, "track").count == 2)
    #expect(played.left[24_160] == 0.25 && played.left.count == 96_000)
  }

  @Test func `a pause in the last 20 ms of a track names it`() async {
    let played = await play(
      [stage("A", ["a"])], [(9.985, [.pause]), (10.2, [.volume(.unity, over: 0)]), (10.5, [.resume])])
    #expect(states(played).filter { $0.contains("paused") } == ["9.985 paused ('a')"])
  }

  @Test func `a session-wide bell at the end strikes again if the listener goes back while it rings`() async {
    var session = programme([stage("A", [], for: .frames(40_000))])
    session.gongs = [Programme.Gong("bell", 8_000, at: 0)]
    session.gongs[0].pattern = .at([.beforeEnd(0)])
    let commands = TimedCommands([(5.5, [.goto(stage: "A", at: 3)])])
    let played = await perform(session, library, doing: commands)
    #expect(played.events.filter { $0.event.name == "gong" }.map(\.session) == [5, 7.5])
    // The first strike rings for a second.
    #expect(played.left[47_000] == 0.0625 && played.left[48_001] == 0 && played.left.count == 68_000)
  }

  @Test func `a session-wide overlay before the end plays again if the listener goes back after it has begun`() async {
    var session = programme([stage("A", [], for: .frames(40_000))])
    session.overlays = [Programme.Overlay("voice", 16_000, at: 0)]
    session.overlays[0].at = [.beforeEnd(8_000)]
    let played = await perform(session, library, doing: TimedCommands([(4.5, [.goto(stage: "A", at: 3)])]))
    #expect(played.events.filter { $0.event.name == "overlay.started" }.map(\.session) == [4, 5.5])
    // The second one replaces the first, and rings out after the end at 6.5 s.
    #expect(played.left[43_000] == 0.03125 && played.left[50_000] == 0.03125 && played.left.count == 60_000)
  }

  @Test func `the repeats of a session-wide overlay end if the listener goes back, and begin again with it`() async {
    var session = programme([stage("A", [], for: .frames(160_000))])
    session.overlays = [Programme.Overlay("voice", 16_000, at: 0)]
    (session.overlays[0].at, session.overlays[0].times, session.overlays[0].delay) = (
      [.beforeEnd(64_000)], .forever, 8_000
    )
    session.overlays[0].isLayer = true
    // It is due at 12 s, and after the step back at 22 s.
    let played = await perform(session, library, doing: TimedCommands([(15.5, [.goto(stage: "A", at: 5.5)])]))
    #expect(played.events.filter { $0.event.name == "overlay.started" }.map(\.session) == [12, 15, 22, 25, 28])
    #expect(played.left.max() == 0.03125)
  }

  @Test func `a session-wide bell that is entered in its middle is not reported as dropped`() async {
    var session = programme([stage("A", ["a"])])
    session.gongs = [Programme.Gong("bell", 8_000, at: 0)]
    session.gongs[0].pattern = .at([.beforeEnd(24_000)])
    let played = await perform(session, library, doing: TimedCommands([(6.6, [.seek(.by(1))])]))
    #expect(names(played, "warning") == [] && names(played, "gong") == ["gong"])
    let dropped = await perform(session, library, doing: TimedCommands([(6.6, [.seek(.by(3))])]))
    #expect(names(dropped, "warning") == ["warning"] && names(dropped, "gong") == [])
  }

  @Test func `while gongs ring after the last stage, there is no track to seek in`() async {
    let log = CommandLog()
    var session = programme([stage("A", ["a"], for: .frames(40_000))])
    session.gongs = [Programme.Gong("bell", 8_000, at: 0)]
    session.gongs[0].pattern = .at([.beforeEnd(0)])
    _ = await perform(session, library, doing: TimedCommands([(5.5, [.seek(.by(-2))])], log: log))
    #expect(log.outcomes == [.rejected(.edit(.noActiveTrack))])
  }

  @Test func `a stage that is entered again is reported again`() async {
    let played = await play([stage("A", ["a"]), stage("B", ["b"])], [(2, [.goto(stage: "A", at: 0)])])
    #expect(names(played, "stage.started").count == 3)
  }

  @Test func `after a position beyond an overlay's first time, its later times sound`() async {
    var voice = Programme.Overlay("voice", 16_000, at: 40_000)
    (voice.times, voice.delay) = (.times(3), 8_000)
    let stages = [stage("A", ["a"]), stage("B", [], for: .frames(320_000), overlays: [voice])]
    let played = await play(stages, [(2, [.goto(stage: "B", at: 7)])])
    let begins = played.events.filter { $0.event.name == "overlay.started" }.map(\.session)
    #expect(begins == [3, 6])
    // The crossfade from a has ended.
    #expect(played.left[36_000] == 0.03125 && played.left.count == 16_000 + 320_000 - 56_000)
    (voice.times, voice.delay) = (.times(1), 0)
    let once = [stage("A", ["a"]), stage("B", [], for: .frames(320_000), overlays: [voice])]
    let skipped = await play(
      once, [(2, [.goto(stage: "B", at: 7)]), (3, [.overlay(.pause)]), (4, [.overlay(.resume)])])
    #expect(names(skipped, "overlay.") == [])
  }

  @Test func `passes of a track and of a playlist are counted separately`() async {
    let repeated = await play(
      [stage("A", ["a", "b"], for: .frames(800_000), crossfade: 0)].map {
        var stage = $0
        stage.playlist.repetition = .playlist
        return stage
      }, [(45, [.repetition(.track, count: 1)])])
    let tracks = repeated.events.compactMap { event in
      if case .track(let title, _, _, _) = event.event { title } else { nil }
    }
    #expect(tracks == ["a", "b", "a", "b", "a", "a", "b", "b"])
  }

  @Test func `music that is paused across the end of a stage waits with the first track of the next one`() async {
    let stages = [stage("A", ["a"], for: .frames(80_000)), stage("B", ["b"], for: .frames(80_000))]
    let played = await play(stages, [(3, [.music(.pause)]), (12, [.volume(.unity, over: 0)]), (14, [.music(.resume)])])
    let paused = states(played).filter { $0.contains("paused") }
    #expect(paused == ["3.0 paused ('a')", "10.0 paused ('b')"])
  }

  @Test func `a final fade is reported once for each track`() async {
    let played = await play([stage("A", ["a", "b"])], [(2, [.finish(fade: 12)])])
    #expect(states(played).filter { $0.contains("fadingOut") }.count == 2)
  }

  @Test func `no event comes after the last frame`() async {
    let played = await play([stage("A", ["a"])], [(3, [.stop]), (3.021, [.volume(.unity, over: 0)])])
    #expect(played.events.last?.session == 3.02)
  }
}
