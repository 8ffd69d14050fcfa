import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// What edits report beside the music that they change: fade-outs, overlays that end in a pause, and cues that no
/// longer have room. Tracks are ten seconds long.
@Suite struct EditReportTests {
  let library = TestLibrary([
    "a": .constant(0.5, length: 80_000), "b": .constant(0.25, length: 80_000), "c": .constant(0.125, length: 80_000),
    "drone": .constant(0.0625, length: 64_000), "voice": .constant(0.03125, length: 16_000),
    "bell": .constant(0, length: 800), "end": .constant(0, length: 800),
  ])

  private func stage(
    _ name: String, _ tracks: [String], for duration: Programme.StageDuration = .natural, crossfade seconds: Double = 2
  ) -> Programme.Stage {
    let shape = FadeShape(length: testRate.frames(seconds), curve: .linear)
    return Programme.Stage(name, tracks.map { track($0, 80_000) }, for: duration, crossfade: shape)
  }

  private func play(_ stages: [Programme.Stage], _ commands: [(Double, [Command])] = []) async -> RenderedProgramme {
    await perform(programme(stages), library, doing: TimedCommands(commands))
  }

  /// Session times of the events of that name.
  private func times(of name: String, in played: RenderedProgramme) -> [Double] {
    played.events.filter { $0.event.name == name }.map(\.session)
  }

  private func states(_ played: RenderedProgramme) -> [(session: Double, name: String)] {
    played.events.compactMap { event in
      if case .state(let state, _) = event.event { (event.session, state.name) } else { nil }
    }
  }

  @Test func `a stage whose only track is removed fades out, and its state says so`() async {
    let natural = await play([stage("A", ["a"])], [(2, [.playlist(.remove(at: 0))])])
    #expect(states(natural).map(\.name) == ["preparing", "playing", "fadingOut", "finished"])
    #expect(states(natural).map(\.session) == [0, 0, 2, 4] && natural.left.count == 32_000)
    let fixed = await play([stage("A", ["a"], for: .frames(48_000))], [(2, [.playlist(.remove(at: 0))])])
    #expect(states(fixed).map(\.name) == ["preparing", "playing", "fadingOut", "playing", "finished"])
    #expect(states(fixed).map(\.session) == [0, 0, 2, 4, 6] && fixed.left.count == 48_000)
    let isSilent = fixed.left[32_000...].allSatisfy { $0 == 0 }
    #expect(isSilent)
  }

  @Test(arguments: [
    [Command.volume(.unity, over: 0)], [.overlay(.volume(.unity, over: 0))], [.jump(track: 7)], [.pause, .resume],
    [.pause, .volume(.unity, over: 0), .resume], [.music(.pause), .volume(.unity, over: 0), .music(.resume)],
  ])
  func `a stage is reported once, whatever changes in a later one`(commands: [Command]) async {
    let stages = [stage("A", ["a"], for: .frames(16_000)), stage("B", ["b"], for: .frames(48_000)), stage("C", ["c"])]
    let played = await play(stages, [(4, commands), (5, commands)])
    #expect(times(of: "stage.started", in: played) == [0, 2, 8])
  }

  @Test func `stages are reported once if one begins in a pause of the music before the volume changes`() async {
    let stages = [stage("A", ["a"], for: .frames(16_000)), stage("B", ["b"], for: .frames(48_000)), stage("C", ["c"])]
    let played = await play(
      stages, [(1, [.music(.pause)]), (4, [.volume(.unity, over: 0)]), (5, [.music(.resume)])])
    #expect(times(of: "stage.started", in: played) == [0, 2, 8])
  }

  @Test func `music that fades out into a stage without any is fading out`() async {
    let played = await play([stage("A", ["a"], for: .frames(32_000)), stage("B", [], for: .frames(32_000))])
    #expect(states(played).map(\.name) == ["preparing", "playing", "fadingOut", "playing", "finished"])
    #expect(states(played).map(\.session) == [0, 0, 4, 6, 8])
  }

  @Test(arguments: [true, false])
  func `while an overlay or bells outlast the music, the state is silence`(isOverlay: Bool) async {
    var only = stage("A", ["a"], for: .frames(48_000))
    let voice = Programme.Sound(source: SoundSource(.file(path: "drone")), title: "drone", length: 64_000)
    if isOverlay { only.overlays = [Programme.Overlay(sound: voice, at: [.afterStart(16_000)])] }
    if !isOverlay { only.gongs = [Programme.Gong(sound: voice, .at([.afterStart(16_000)]))] }
    var session = programme([only])
    session.fadeOut = 8_000
    let played = await perform(session, library)
    let ends = played.left.count == 48_000 ? [("finished", 6.0)] : [("playing", 6.0), ("finished", 10.0)]
    #expect(states(played).map(\.name) == ["preparing", "playing", "fadingOut"] + ends.map(\.0))
    #expect(states(played).map(\.session) == [0, 0, 5] + ends.map(\.1))
  }

  @Test func `a goto into a fade-out that runs reports what is left of it`() async {
    var session = programme([stage("A", ["a"], for: .frames(64_000))])
    session.fadeOut = 32_000
    let played = await perform(
      session, library, doing: TimedCommands([(5, [.goto(stage: "A", at: 7)])]))
    let durations = played.events.compactMap { event in
      if case .state(.fadingOut(_, let duration), _) = event.event { duration } else { nil }
    }
    // What is left is reported for the track that the command leaves, and for the one that it starts.
    #expect(durations == [4, 1, 1])
  }

  @Test func `session-wide cues after the end to which an edit moves the session are reported`() async {
    var session = programme([stage("A", ["a"], crossfade: 0), stage("B", ["b"], crossfade: 0)])
    session.gongs = [
      Programme.Gong("voice", 16_000, at: 24_000, 120_000),
      Programme.Gong(sound: Programme.Sound("bell", 800), .every(40_000, count: 3)),
      Programme.Gong(sound: Programme.Sound("end", 800), .at([.beforeEnd(0)])),
    ]
    // The session then ends at 12 s, and after the second edit at 7 s.
    let commands = [(2, [.nextStage]), (4, [.seek(.by(5))])] as [(Double, [Command])]
    let played = await perform(session, library, doing: TimedCommands(commands))
    let warnings = played.events.compactMap { event in
      if case .warning(let text) = event.event { "\(event.session): \(text)" } else { nil }
    }
    #expect(
      warnings == [
        "2.0: 'bell' does not play at 15.000 s: the session now ends earlier",
        "2.0: 'voice' does not play at 15.000 s: the session now ends earlier",
        "4.0: 'bell' does not play at 10.000 s: the session now ends earlier",
      ])
    let gongs = played.events.compactMap { event in
      if case .gong(let title) = event.event { "\(title) \(event.session)" } else { nil }
    }
    #expect(gongs == ["voice 3.0", "bell 5.0", "end 7.0"])
  }

  @Test func `a command that ends the session reports no cues`() async {
    var session = programme([stage("A", ["a"], crossfade: 0)])
    session.gongs = [Programme.Gong("voice", 16_000, at: 48_000)]
    let played = await perform(session, library, doing: TimedCommands([(2, [.finish(fade: 1)])]))
    #expect(times(of: "warning", in: played) == [] && played.left.count == 24_000)
  }

  @Test(
    arguments: [
      ([(1.5, [.overlay(.pause)])], 4), ([(1.5, [.overlay(.pause)]), (2.5, [.overlay(.stop)])], 2.5),
      ([(1.5, [.overlay(.pause)]), (2.5, [.nextStage])], 2.5),
      ([(1.5, [.overlay(.pause)]), (2.5, [.goto(stage: "A", at: 2)])], 2.5),
      ([(1.5, [.overlay(.pause)]), (2, [.pause]), (2.5, [.nextStage]), (3, [.resume])], 2.02),
      ([(1.5, [.overlay(.pause)]), (2.5, [.overlay(.play(OverlayRequest(cue: Cue("c"))))])], 2.5),
    ] as [([(Double, [Command])], Double)])
  func `a paused overlay ends with its stage, and when it is stopped or replaced`(
    commands: [(Double, [Command])], end: Double
  ) async {
    var first = stage("A", ["a"], for: .frames(32_000), crossfade: 0)
    first.overlays = [Programme.Overlay("drone", 64_000, at: 8_000)]
    let played = await play([first, stage("B", ["b"], for: .frames(32_000), crossfade: 0)], commands)
    let ended = played.events.filter { event in
      if case .overlayEnded(title: "drone") = event.event { true } else { false }
    }
    #expect(ended.map(\.session) == [end] && ended.first?.stage == "A")
    #expect(times(of: "overlay.paused", in: played) == [1.52])
  }

  /// A voice of one second, three times, with a second of silence between them.
  private func paused(between commands: [(Double, [Command])]) async -> RenderedProgramme {
    var first = stage("A", ["a"], for: .frames(64_000), crossfade: 0)
    var voice = Programme.Overlay("voice", 8_000, at: 8_000)
    (voice.times, voice.delay) = (.times(3), 8_000)
    first.overlays = [voice]
    return await play([first, stage("B", ["b"], for: .frames(8_000), crossfade: 0)], commands)
  }

  @Test func `an overlay that is paused between two repeats is reported, and later keeps the rest of its silence`()
    async
  {
    let played = await paused(between: [(2.5, [.overlay(.pause)]), (4, [.overlay(.resume)])])
    #expect(times(of: "overlay.started", in: played) == [1, 4.5, 6.5])
    #expect(times(of: "overlay.paused", in: played) == [2.5])
    #expect(times(of: "overlay.resumed", in: played) == [4])
    #expect(times(of: "overlay.ended", in: played) == [2, 5.5, 7.5])
  }

  @Test(
    arguments: [
      ([], 8), ([(3, [.overlay(.stop)])], 3), ([(3, [.nextStage])], 3),
      ([(3, [.pause]), (3.5, [.overlay(.stop)]), (4, [.resume])], 3.02),
    ]
      as [([(Double, [Command])], Double)])
  func `one that stays paused there ends with its stage, or when it is stopped`(
    commands: [(Double, [Command])], end: Double
  ) async {
    let played = await paused(between: [(2.5, [.overlay(.pause)])] + commands)
    #expect(times(of: "overlay.ended", in: played) == [2, end])
    #expect(times(of: "overlay.started", in: played) == [1] && times(of: "overlay.resumed", in: played) == [])
  }
}
