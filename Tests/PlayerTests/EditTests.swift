import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// An edit of what is still to come makes the session sound as if it had been written that way, and the reported states
/// match.
///
/// Levels identify the tracks: a is 0.5, b 0.25, c 0.125, each ten seconds long. Crossfades are linear and take two
/// seconds unless a test says otherwise.
@Suite struct EditTests {
  let library = TestLibrary([
    "a": .constant(0.5, length: 80_000), "b": .constant(0.25, length: 80_000), "c": .constant(0.125, length: 80_000),
    "ramp": .init(length: 80_000) { Frame(mono: Float($0) / 1_048_576) },
    "drone": .constant(0.0625, length: 64_000), "voice": .constant(0.03125, length: 16_000),
  ])

  private func stage(
    _ name: String, _ tracks: [String], for duration: Programme.StageDuration = .natural, crossfade seconds: Double = 2
  ) -> Programme.Stage {
    let shape = FadeShape(length: testRate.frames(seconds), curve: .linear)
    return Programme.Stage(name, tracks.map { track($0, 80_000) }, for: duration, crossfade: shape)
  }

  private func play(
    _ stages: [Programme.Stage], fadeOut: FrameCount = 0, _ commands: [(Double, [Command])] = [],
    log: CommandLog = CommandLog()
  ) async -> RenderedProgramme {
    await perform(programme(stages, fadeOut: fadeOut), library, doing: TimedCommands(commands, log: log))
  }

  /// Whether the level follows a straight line from `first` to `last` between the seconds `begin` and `end`.
  private func fades(
    _ played: RenderedProgramme, from first: Float, to last: Float, _ begin: Int, _ end: Int
  ) -> Bool {
    let frames = begin * 8_000..<end * 8_000
    guard frames.upperBound <= played.left.count else { return false }
    return frames.allSatisfy { frame in
      let progress = Float(frame - frames.lowerBound) / Float(frames.count)
      return abs(played.left[frame] - (first + (last - first) * progress)) < 1e-5
    }
  }

  private func isConstant(_ played: RenderedProgramme, _ level: Float, _ begin: Int, _ end: Int) -> Bool {
    fades(played, from: level, to: level, begin, end)
  }

  /// The session times of the events with this name.
  private func times(of name: String, in played: RenderedProgramme) -> [Double] {
    played.events.filter { $0.event.name == name }.map(\.session)
  }

  private func states(_ played: RenderedProgramme) -> [(session: Double, name: String)] {
    played.events.compactMap { event in
      if case .state(let state, _) = event.event { (event.session, state.name) } else { nil }
    }
  }

  @Test func `a stage whose next track is removed crossfades into the next stage`() async {
    let edited = await play(
      [stage("A", ["a", "b"]), stage("B", ["c"])], [(2, [.playlist(.remove(at: 1))])])
    let planned = await play([stage("A", ["a"]), stage("B", ["c"])])
    #expect(isConstant(edited, 0.5, 0, 8) && fades(edited, from: 0.5, to: 0.125, 8, 10))
    #expect(isConstant(edited, 0.125, 10, 18) && edited.left.count == 18 * 8_000)
    #expect(times(of: "stage.started", in: edited) == [0, 8])
    let isSame = edited.left == planned.left
    #expect(isSame)
  }

  @Test func `the music crossfades into an appended track once`() async {
    let edited = await play([stage("A", ["a"]), stage("B", ["b"])], [(2, [.playlist(.append([Cue("c")]))])])
    #expect(fades(edited, from: 0.5, to: 0.125, 8, 10) && edited.left[72_000] == 0.3125)
    // c crossfades into the next stage as if it had always been the stage's last track.
    #expect(isConstant(edited, 0.125, 10, 16) && fades(edited, from: 0.125, to: 0.25, 16, 18))
    #expect(times(of: "stage.started", in: edited) == [0, 16])
  }

  @Test func `a track that is set to repeat crossfades into itself`() async {
    let edited = await play([stage("A", ["a"]), stage("B", ["b"])], [(2, [.repetition(.track, count: 1)])])
    #expect(isConstant(edited, 0.5, 0, 16) && edited.left[72_000] == 0.5)
    #expect(fades(edited, from: 0.5, to: 0.25, 16, 18))
    #expect(times(of: "track", in: edited) == [0, 8, 16])
  }

  @Test func `music paused alone for two seconds crossfades into the next stage two seconds later`() async {
    let edited = await play(
      [stage("A", ["a"]), stage("B", ["b"])], [(2, [.music(.pause)]), (4, [.music(.resume)])])
    #expect(isConstant(edited, 0, 3, 4) && isConstant(edited, 0.5, 5, 10))
    #expect(fades(edited, from: 0.5, to: 0.25, 10, 12) && isConstant(edited, 0.25, 12, 20))
    #expect(times(of: "stage.started", in: edited) == [0, 10] && edited.left.count == 20 * 8_000)
    let crossfade = states(edited).first { $0.name == "crossfading" }
    #expect(crossfade?.session == 10)
  }

  @Test func `the final fade-out moves with the end of the session`() async {
    let edited = await play([stage("A", ["a", "b"])], fadeOut: 16_000, [(2, [.playlist(.remove(at: 1))])])
    #expect(isConstant(edited, 0.5, 0, 8) && fades(edited, from: 0.5, to: 0, 8, 10))
    #expect(edited.left.count == 80_000)
    #expect(states(edited).filter { $0.name == "fadingOut" }.map(\.session) == [8])
  }

  @Test func `a track appended during the final fade-out cancels the fade-out`() async {
    let played = await play(
      [stage("A", ["a"], crossfade: 0)], fadeOut: 16_000, [(9, [.playlist(.append([Cue("b")]))])])
    #expect(fades(played, from: 0.5, to: 0.25, 8, 9) && played.left[72_160..<80_000].allSatisfy { $0 == 0.5 })
    #expect(isConstant(played, 0.25, 10, 18) && fades(played, from: 0.25, to: 0, 18, 20))
    let reported = states(played)
    #expect(
      reported.map(\.name) == ["preparing", "playing", "fadingOut", "playing", "playing", "fadingOut", "finished"])
    #expect(reported.map(\.session) == [0, 0, 8, 9, 10, 18, 20])
  }

  @Test func `a fade-out that is cancelled during a pause does not resume`() async {
    let played = await play(
      [stage("A", ["a"], crossfade: 0)], fadeOut: 16_000,
      [(9, [.pause]), (10, [.playlist(.append([Cue("b")]))]), (11, [.resume])])
    let reported = states(played).filter { $0.session < 18 }
    #expect(reported.map(\.name) == ["preparing", "playing", "fadingOut", "paused", "playing", "playing"])
    #expect(played.left[72_480..<80_000].allSatisfy { $0 == 0.5 })
  }

  @Test func `a stage becomes open when its music repeats without a bound`() async {
    let stages = [stage("A", ["a"]), stage("B", ["b"])]
    let edited = await play(stages, [(2, [.repetition(.track, count: nil)]), (22, [.nextStage])])
    #expect(isConstant(edited, 0.5, 0, 22) && fades(edited, from: 0.5, to: 0.25, 22, 24))
    #expect(isConstant(edited, 0.25, 24, 32) && edited.left.count == 32 * 8_000)
    #expect(times(of: "stage.started", in: edited) == [0, 22])
    var repeating = stages
    repeating[0].playlist.repetition = .track
    let planned = await play(repeating, [(22, [.nextStage])])
    let isSame = edited.left == planned.left
    #expect(isSame)
  }

  @Test(arguments: [Command.music(.resume), .play, .resume, .toggle])
  func `music paused alone stays paused across the end of its stage until it is resumed`(_ command: Command) async {
    let log = CommandLog()
    let stages = [stage("A", ["a"], for: .frames(40_000)), stage("B", ["ramp"])]
    let played = await play(stages, [(2, [.music(.pause)]), (8, []), (12, [command]), (13, [])], log: log)
    #expect(log.outcomes == [.done, .done])
    #expect(log.moments.map(\.state) == ["playing", "paused", "paused", "playing"])
    #expect(log.moments.map(\.stage) == ["A", "B", "B", "B"])
    #expect(times(of: "stage.started", in: played) == [0, 5])
    #expect(isConstant(played, 0, 3, 12))
    // The music of the next stage waits at its beginning, before its fade-in.
    let isWhole = (0..<80_000).allSatisfy {
      abs(played.left[96_000 + $0] - Float($0) / 1_048_576 * min(1, Float($0) / 16_000)) < 1e-6
    }
    #expect(isWhole && played.left.count == 22 * 8_000)
    #expect(log.moments.last?.position == 1)
    let paused = played.events.filter { $0.session < 12 && 2 < $0.session }
    #expect(!paused.contains { !$0.isMusicPaused })
  }

  @Test func `a planned overlay replaces an overlay started by a command`() async {
    var silent = Programme.Stage("A", [], for: .frames(80_000))
    silent.overlays = [Programme.Overlay("voice", 16_000, at: 32_000)]
    let drone = Command.overlay(.play(OverlayRequest(cue: Cue("drone"))))
    let played = await play([silent], [(2, [drone])])
    #expect(isConstant(played, 0.0625, 2, 4))
    // The drone has faded out over the ramp of 20 ms.
    #expect(played.left[32_160..<48_000].allSatisfy { $0 == 0.03125 })
    #expect(times(of: "overlay.started", in: played) == [2, 4])
    #expect(times(of: "overlay.ended", in: played) == [4.02, 6])
  }

  @Test func `an overlay started by a command ends with its stage`() async {
    let stages = [stage("A", ["a"], for: .frames(40_000)), stage("B", ["b"])]
    let drone = Command.overlay(.play(OverlayRequest(cue: Cue("drone"))))
    let played = await play(stages, [(2, [drone])])
    #expect(isConstant(played, 0.5625, 2, 5) && fades(played, from: 0.5625, to: 0.25, 5, 7))
    #expect(isConstant(played, 0.25, 7, 10) && times(of: "overlay.ended", in: played) == [7])
  }

  @Test func `the change to the next stage uses the crossfade that was set before it`() async {
    let stages = [stage("A", ["a"], for: .frames(40_000)), stage("B", ["b"])]
    let edited = await play(stages, [(2, [.crossfade(duration: 4, curve: nil)])])
    #expect(fades(edited, from: 0.5, to: 0.25, 5, 9) && isConstant(edited, 0.25, 9, 15))
    let planned = await play([stages[0], stage("B", ["b"], crossfade: 4)])
    let isSame = edited.left == planned.left
    #expect(isSame)
  }

  @Test func `a crossfade in progress keeps its curve`() async {
    let tracks = ["a", "b"].map { track($0, 80_000) }
    let stage = Programme.Stage("A", tracks, crossfade: FadeShape(length: 16_000, curve: .equalPower))
    let plain = await play([stage])
    let edited = await play([stage], [(9, [.crossfade(duration: 1, curve: .linear)])])
    let isSame = edited.left == plain.left
    #expect(isSame)
  }

  @Test func `next without a crossfade reports no crossfade`() async {
    let played = await play([stage("A", ["a", "b"], crossfade: 0)], [(2, [.next])])
    #expect(played.events.allSatisfy { !$0.event.name.hasPrefix("crossfade.") })
    #expect(states(played).map(\.name) == ["preparing", "playing", "playing", "finished"])
    #expect(played.left[15_999] == 0.5 && played.left[16_160] == 0.25)
  }

  @Test func `repeated changes of the crossfade damage no track`() async {
    let library = TestLibrary([
      "a": .constant(0.5, length: 80_000), "b": .constant(0.25, length: 80_000),
      "short": .constant(0.125, length: 24_000),
    ])
    let shape = FadeShape(length: 8_000, curve: .linear)
    let first = Programme.Stage(
      "S0", [track("b", 80_000), track("short", 24_000), track("a", 80_000)], for: .frames(48_000), crossfade: shape)
    let second = Programme.Stage(
      "S1", [track("short", 24_000), track("b", 80_000)], repetition: .track, repeatCount: 1, crossfade: shape)
    let crossfades = [(0.5, 0.0), (2.6, 0), (6.3, 1), (6.8, 1), (10.5, 3)]
    let commands = crossfades.map { ($0.0, [Command.crossfade(duration: $0.1, curve: nil)]) }
    let log = CommandLog()
    let played = await perform(
      programme([first, second], fadeOut: 8_000), library, doing: TimedCommands(commands, log: log))
    #expect(log.outcomes.map(\.name) == ["done", "rejected", "done", "rejected", "done"])
    #expect(played.performance.damage.isEmpty && played.performance.reason == .completed)
    #expect(played.events.allSatisfy { !["error", "warning"].contains($0.event.name) })
  }

  @Test func `next wraps around in a playlist that repeats`() async {
    let log = CommandLog()
    var round = stage("A", ["a", "b"])
    round.playlist.repetition = .playlist
    round.playlist.repeatCount = 1
    let nexts = [2.0, 5, 8, 11].map { ($0, [Command.next]) }
    let played = await play([round, stage("B", ["c"])], nexts + [(14, [])], log: log)
    #expect(log.outcomes == Array(repeating: .done, count: 4))
    #expect(log.moments.map(\.trackIndex) == [0, 1, 0, 1, 0])
    #expect(log.moments.map(\.stage) == ["A", "A", "A", "A", "B"])
    #expect(isConstant(played, 0.25, 4, 5) && isConstant(played, 0.5, 7, 8) && isConstant(played, 0.25, 10, 11))
    let passes = played.events.compactMap { if case .track(_, _, let pass, _) = $0.event { pass } else { nil } }
    #expect(passes == [0, 0, 1, 1, 0])
  }

  @Test(arguments: [Command.playlist(.append([Cue("b")])), .repetition(.track, count: 1)])
  func `a track added or repeated after a stage's music has ended starts at its beginning`(_ command: Command) async {
    let stages = [stage("A", ["a"], for: .frames(240_000))]
    let played = await play(stages, [(15, [command])])
    let level: Float = command == .repetition(.track, count: 1) ? 0.5 : 0.25
    #expect(isConstant(played, 0, 11, 15) && isConstant(played, level, 16, 25) && isConstant(played, 0, 26, 30))
    #expect(times(of: "track", in: played) == [0, 15])
    #expect(
      states(played).map(\.name) == ["preparing", "playing", "playing", "playing", "playing", "finished"])
  }

  @Test func `a track added to a silent stage starts at once`() async {
    let played = await play([stage("A", [], for: .frames(160_000))], [(5, [.playlist(.append([Cue("b")]))])])
    #expect(isConstant(played, 0, 0, 5) && isConstant(played, 0.25, 6, 15) && isConstant(played, 0, 16, 20))
  }

  @Test func `a lengthened crossfade whose beginning has passed starts in its middle`() async {
    let stages = [stage("A", ["a", "b"], crossfade: 1), stage("B", ["c"], crossfade: 1)]
    let played = await play(stages, [(8, [.crossfade(duration: 4, curve: nil)])])
    #expect(times(of: "underrun", in: played) == [] && times(of: "track", in: played).prefix(2) == [0, 8])
    #expect(times(of: "crossfade.completed", in: played).first == 10)
    #expect(abs(played.left[72_000] - 0.3125) < 1e-5)
  }

  @Test(arguments: [5.985, 5.99, 6])
  func `a pause just before a crossfade between stages pauses the crossfade`(_ second: Double) async {
    let stages = [stage("A", ["a"], crossfade: 4), stage("B", ["b"], crossfade: 4)]
    let played = await play(stages, [(second, [.pause]), (8, [.resume])])
    let names = played.events.map(\.event.name).filter { $0.hasPrefix("crossfade.") && $0 != "crossfade.progress" }
    #expect(names == ["crossfade.started", "crossfade.paused", "crossfade.resumed", "crossfade.completed"])
    #expect(times(of: "stage.started", in: played).count == 2 && times(of: "track", in: played).count == 2)
  }

  @Test(arguments: [[Command.seek(.to(8))], [.goto(stage: "A", at: 12)]])
  func `a track entered in its middle still repeats the requested number of times`(_ commands: [Command]) async {
    var first = stage("A", ["a"], crossfade: 4)
    first.playlist.repetition = .track
    first.playlist.repeatCount = 2
    let played = await play([first], [(1, commands)])
    #expect(played.events.last?.event.name == "session.finished")
  }

  @Test func `an overlay cut off by the end of the session is reported as ended`() async {
    var first = stage("A", ["a"])
    first.overlays = [Programme.Overlay("drone", 64_000, at: 8_000)]
    let played = await play([first], [(3, [.stop])])
    #expect(times(of: "overlay.ended", in: played) == [3.02])
  }

  @Test func `the next stage follows when the last track of a stage is removed while it plays`() async {
    let played = await play(
      [stage("A", ["a", "b"]), stage("B", ["c"])], [(10, [.playlist(.remove(at: 1))])])
    #expect(fades(played, from: 0.25, to: 0.125, 10, 12) && isConstant(played, 0.125, 13, 20))
  }
}
