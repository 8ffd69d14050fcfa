import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// What is heard after the listener navigates. Levels identify the tracks: a is 0.1, b 0.2, c 0.4.
@Suite struct NavigationTests {
  let library = TestLibrary([
    "a": .constant(0.1, length: 40_000), "b": .constant(0.2, length: 40_000), "c": .constant(0.4, length: 40_000),
    "bad": .init(length: 40_000, brokenAt: 0) { _ in .silence },
    "bad1": .init(length: 40_000, brokenAt: 0) { _ in .silence },
    "bad2": .init(length: 40_000, brokenAt: 0) { _ in .silence },
    "bad3": .init(length: 40_000, brokenAt: 0) { _ in .silence },
    "ramp": .init(length: 40_000) { Frame(mono: Float($0) / 65_536) },
    "tick": .constant(0.0625, length: 400), "voice": .constant(0.03125, length: 4_000),
  ])

  private func stage(
    _ names: [String], crossfade: FrameCount = 800, gongs: [Programme.Gong] = []
  ) -> Programme.Stage {
    Programme.Stage(
      names.joined(), names.map { track($0, 40_000) }, crossfade: FadeShape(length: crossfade, curve: .linear),
      gongs: gongs)
  }

  private func play(
    _ stages: [Programme.Stage], _ commands: [(Double, [Command])]
  ) async -> (played: RenderedProgramme, log: CommandLog) {
    let log = CommandLog()
    let played = await perform(programme(stages), library, doing: TimedCommands(commands, log: log))
    return (played, log)
  }

  private func tracks(_ played: RenderedProgramme) -> [Int] {
    played.events.compactMap { if case .track(_, let index, _, _) = $0.event { index } else { nil } }
  }

  @Test func `next crossfades into the next track at the frame of the command`() async {
    let (played, log) = await play([stage(["a", "b", "c"])], [(1, [.next]), (2, [])])
    #expect(log.outcomes == [.done])
    #expect(played.left[7_999] == 0.1 && played.left[8_000] == 0.1)
    #expect(abs(played.left[8_400] - 0.15) < 1e-6)
    #expect(played.left[8_800] == 0.2 && played.left[16_000] == 0.2)
    #expect(log.moments.last?.trackIndex == 1 && log.moments.last?.state == "playing")
    // b plays its 40,000 frames from frame 8,000 on, then c; they overlap by 800 frames.
    #expect(played.left.count == 8_000 + 40_000 + 40_000 - 800)
    #expect(played.left[47_999 - 800] == 0.2 && played.left[48_000] == 0.4)
    #expect(tracks(played) == [0, 1, 2])
  }

  @Test func `a seek by a frame and a next at the same instant sound like next alone`() async {
    let stages = [stage(["a", "ramp", "c"])]
    let (plain, _) = await play(stages, [(1, [.next]), (3, [.next])])
    let (sought, log) = await play(stages, [(1, [.next]), (3, [.seek(.by(1 / 8_000)), .next])])
    #expect(log.outcomes == [.done, .done, .done])
    #expect(sought.performance.totals.shortfalls == Shortfalls())
    // Except for the frame, and for the 20 ms in which the two voices of the track crossfade.
    let differences = zip(sought.left, plain.left).map { abs($0 - $1) }
    #expect(sought.left.count == plain.left.count)
    #expect(differences.indices.first { differences[$0] > 1.6e-5 && !(24_000..<24_160 ~= $0) } == nil)
    #expect(differences.allSatisfy { $0 < 0.02 })
  }

  @Test func `no sound is opened that would begin after the end`() async {
    let (played, _) = await play([stage(["a", "b"], crossfade: 0)], [(1.6, [.finish(fade: 0.5)])])
    let loads = played.events.filter { $0.event.name == "load.started" }
    #expect(played.left.count == 16_800 && loads.count == 1)
  }

  @Test func `previous returns to the previous track and is rejected at the beginning`() async {
    let (played, log) = await play([stage(["a", "b"])], [(1, [.previous]), (2, [.next]), (4, [.previous]), (5, [])])
    #expect(log.outcomes == [.rejected(.edit(.noPreviousTrack)), .done, .done])
    #expect(played.left[40_000 - 1] == 0.1 && log.moments.last?.trackIndex == 0)
  }

  @Test func `next leads from the last track to the next stage, and from the last stage to the end`() async {
    let second = stage(["c"])
    let (played, log) = await play([stage(["a"]), second], [(1, [.next]), (3, [.next])])
    #expect(log.outcomes == [.done, .done])
    #expect(played.left[8_800] == 0.4)
    #expect(played.left.count == 24_000 + 24_000)
    let stages = played.events.compactMap { if case .stageStarted(_, let index, _) = $0.event { index } else { nil } }
    #expect(stages == [0, 1] && played.performance.reason == .completed)
  }

  @Test func `previousStage in the first stage and nextStage in the last one are rejected, whatever track plays`() async
  {
    let (_, log) = await play([stage(["a", "b"])], [(1, [.previousStage]), (2, [.nextStage])])
    #expect(log.outcomes == [.rejected(.edit(.noPreviousTrack)), .rejected(.edit(.noNextTrack))])
    #expect("\(PlayerError.edit(.noNextTrack))" == "there is no next track or stage; 'finish' ends the session")
    #expect("\(PlayerError.edit(.noPreviousTrack))" == "there is no previous track or stage")
  }

  @Test func `nextStage ends the session in an open last stage, and next does so after its only track`() async {
    for command in [Command.nextStage, .next] {
      let open = Programme.Stage("b", [track("b", 40_000)], for: .open, repetition: .playlist)
      let (played, log) = await play([stage(["a"]), open], [(1, [.nextStage]), (3, [command])])
      #expect(log.outcomes == [.done, .done])
      #expect(played.left.count == 24_000 + 24_000 && played.performance.reason == .completed)
    }
  }

  @Test func `a seek beyond the last track names the track's end`() async {
    let loop = Programme.Stage("b", [track("b", 40_000)], for: .frames(80_000), repetition: .playlist)
    let (_, log) = await play([loop], [(1, [.seek(.by(15))]), (2, [.seek(.to(4))])])
    #expect(log.outcomes == [.rejected(.edit(.endOfTrack(seconds: 5))), .done])
    #expect(
      "\(PlayerError.edit(.endOfTrack(seconds: 5)))"
        == "the track ends at 5.000 s, and no other track or stage follows; choose an earlier position")
  }

  @Test func `next skips a track that can't be opened`() async {
    let (played, log) = await play([stage(["a", "bad", "c"])], [(1, [.next]), (2, [])])
    #expect(log.outcomes == [.done] && log.moments.last?.trackIndex == 2)
    #expect(played.left[8_800] == 0.4)
    #expect(tracks(played) == [0, 2])
  }

  @Test func `next is rejected and the current track continues if no later track can be opened`() async {
    let (played, log) = await play([stage(["a", "bad", "bad"])], [(1, [.next]), (2, [])])
    #expect(log.outcomes == [.rejected(.noValidTracksInPlaylist)])
    #expect(log.moments.last?.trackIndex == 0 && log.moments.last?.state == "playing")
    let isUntouched = played.left[..<39_000].allSatisfy { $0 == 0.1 }
    #expect(isUntouched)
    let codes = played.events.compactMap { if case .error(let error) = $0.event { error.code } else { nil } }
    #expect(codes.contains("noValidTracksInPlaylist"))
  }

  @Test func `a next after a failed one tries the tracks after those that can't be opened`() async {
    let (played, log) = await play(
      [stage(["a", "bad1", "bad2", "bad3", "c"])], [(1, [.next]), (2, [.next]), (3, [])])
    guard case .rejected(let error) = log.outcomes.first else {
      Issue.record("the first next must fail")
      return
    }
    #expect(error.code == "skipFailed" && error.description.contains("bad3"))
    #expect(log.outcomes.last == .done && log.moments.last?.trackIndex == 4)
    let skipped = played.events.compactMap { event in
      if case .trackSkipped(let title, _) = event.event { "\(title) at \(event.session)" } else { nil }
    }
    #expect(skipped == ["bad1 at 1.0", "bad2 at 1.0", "bad3 at 1.0"])
    #expect(played.left[15_999] == 0.1 && played.left[16_800] == 0.4)
  }

  @Test func `a stage whose first track can't be opened begins with its second one`() async {
    let (played, log) = await play([stage(["a"]), stage(["bad", "c"])], [(1, [.next]), (2, [])])
    #expect(log.outcomes == [.done] && log.moments.last?.trackIndex == 1 && played.left[8_800] == 0.4)
    #expect(tracks(played) == [0, 1])
  }

  @Test func `previous skips tracks that can't be opened`() async {
    let (_, log) = await play([stage(["c", "bad", "a"])], [(1, [.jump(track: 2)]), (2, [.previous]), (3, [])])
    #expect(log.outcomes == [.done, .done] && log.moments.last?.trackIndex == 0)
  }

  @Test(
    arguments: [
      ([.crossfade(duration: 0, curve: nil), .finish(fade: 1)], ["playing", "fadingOut", "finished"], 16_000),
      ([.pause, .stop], ["playing", "paused", "finished"], 8_160),
      ([.pause, .volume(Gain(linear: 0.5), over: 0), .resume], ["playing", "paused", "playing", "finished"], 40_000),
    ] as [([Command], [String], Int)])
  func `simultaneous commands are executed in order`(
    commands: [Command], states: [String], length: Int
  ) async {
    let (played, log) = await play([stage(["a"])], [(1, commands)])
    #expect(log.outcomes == commands.map { _ in .done })
    let reported = played.events.compactMap { if case .state(let state, _) = $0.event { state.name } else { nil } }
    #expect(reported == ["preparing"] + states)
    #expect(played.left.count == length)
    let names = played.events.compactMap { event in
      if case .command(let name, _, .ended) = event.event { name } else { nil }
    }
    #expect(names == commands.map(\.name))
  }

  @Test func `simultaneous next, next and pause pause the session, and neither next runs`() async {
    let (played, log) = await play(
      [stage(["a", "b", "c"])], [(1, [.next, .next, .pause]), (2, [.resume]), (3, [])])
    #expect(log.outcomes == [.coalesced, .cancelled(by: "pause"), .done, .done])
    #expect(log.moments.map(\.state) == ["playing", "paused", "playing"])
    #expect(log.moments.last?.trackIndex == 0 && played.left[12_000] == 0.1)
  }

  @Test func `ten simultaneous nexts become one navigation`() async {
    let names = Array(repeating: "a", count: 10) + ["c"]
    let (played, log) = await play([stage(names)], [(1, Array(repeating: .next, count: 10)), (2, [])])
    #expect(log.outcomes == Array(repeating: .coalesced, count: 9) + [.done])
    #expect(log.moments.last?.trackIndex == 10 && played.left[8_800] == 0.4)
    #expect(played.events.count { if case .loadStarted = $0.event { true } else { false } } == 2)
  }

  @Test func `ten nexts in two seconds lead to the tenth track`() async {
    let names = Array(repeating: "a", count: 10) + ["c"]
    let nexts = (0..<10).map { (1 + 0.2 * Double($0), [Command.next]) }
    let (played, log) = await play([stage(names, crossfade: 8_000)], nexts + [(5, [])])
    #expect(log.outcomes == Array(repeating: .done, count: 10))
    #expect(log.moments.last?.trackIndex == 10 && played.left[39_000] == 0.4)
    #expect(played.events.allSatisfy { if case .error = $0.event { false } else { true } })
  }

  @Test func `a seek continues at another position in the track`() async {
    let (played, log) = await play([stage(["ramp"])], [(1, [.seek(.to(3))]), (2, [.seek(.by(-1))]), (2.5, [])])
    #expect(log.outcomes == [.done, .done])
    #expect(played.left[7_999] == 7_999 / 65_536.0 && played.left[8_160] == 24_160 / 65_536.0)
    #expect(played.left[16_160] == 24_160 / 65_536.0 && log.moments.last?.position == 3.5)
    #expect(played.left.count == 16_000 + 40_000 - 24_000)
    #expect(tracks(played) == [0])
  }

  @Test(arguments: [[Command.next], [.next, .seek(.to(1))], [.seek(.to(3)), .nextStage]])
  func `changes between a pause and a resume at the same instant sound as they do without the pause`(
    changes: [Command]
  ) async {
    let stages = [stage(["a", "ramp", "c"], crossfade: 8_000), stage(["b"], crossfade: 8_000)]
    let (plain, _) = await play(stages, [(1, changes)])
    let (paused, log) = await play(stages, [(1, [.pause] + changes + [.resume])])
    #expect(log.outcomes == Array(repeating: .done, count: changes.count + 2))
    let isSame = paused.left == plain.left
    #expect(isSame)
  }

  @Test func `next during a pause keeps the session paused, and resume plays the new track`() async {
    let (played, log) = await play(
      [stage(["a", "b"])], [(1, [.pause]), (2, [.next]), (3, []), (4, [.resume]), (5, [])])
    #expect(log.moments.map(\.state) == ["playing", "paused", "paused", "paused", "playing"])
    #expect(log.moments.map(\.trackIndex) == [0, 0, 1, 1, 1])
    #expect(played.left[8_320] == 0.2 && abs(played.left[8_159]) < 0.001)
  }

  @Test func `goto starts a stage at the requested position, with its own cues and without those of the old stage`()
    async
  {
    let first = stage(["a"], gongs: [Programme.Gong("tick", 400, at: 20_000)])
    let second = stage(["b"], gongs: [Programme.Gong("tick", 400, at: 1_000, 16_000)])
    let (played, log) = await play([first, second], [(1, [.goto(stage: "b", at: 1)])])
    #expect(log.outcomes == [.done])
    #expect(played.left.count == 8_000 + 40_000 - 8_000)
    let gongs = played.events.compactMap { if case .gong = $0.event { $0.session } else { nil } }
    #expect(gongs == [2])
    #expect(played.left[15_999] == 0.2 && played.left[16_000] == 0.2625)
  }

  @Test func `gongs and overlays start when they are requested`() async {
    let gong = Cue("tick")
    let voice = Cue("voice")
    let (played, log) = await play(
      [stage(["a"])],
      [(1, [.gong(gong)]), (2, [.overlay(.play(OverlayRequest(cue: voice, times: .times(2), delay: 0.5)))])])
    #expect(log.outcomes == [.done, .done])
    #expect(played.left[7_999] == 0.1 && played.left[8_000] == 0.1625 && played.left[8_400] == 0.1)
    #expect(played.left[16_000] == 0.13125 && played.left[20_000] == 0.1)
    #expect(played.left[24_000] == 0.13125 && played.left[28_000] == 0.1)
  }

  @Test func `a gong struck at the same instant as the change to the next stage rings out there`() async {
    let gong = Cue("tick")
    let (played, log) = await play([stage(["a"]), stage(["b"])], [(1, [.gong(gong), .next])])
    #expect(log.outcomes == [.done, .done])
    #expect(played.left[8_000] == 0.1625 && played.left[8_400] < 0.1625)
    #expect(played.events.count { if case .gong = $0.event { true } else { false } } == 1)
  }

  @Test func `pausing the music alone delays the end of its stage by the same time`() async {
    let (played, log) = await play(
      [stage(["ramp"])], [(1, [.music(.pause)]), (2, []), (3, [.music(.resume)]), (4, [])])
    #expect(log.outcomes == [.done, .done])
    #expect(log.moments.map(\.state) == ["playing", "paused", "paused", "playing"])
    #expect(played.left[8_160] == 0 && played.left[23_999] == 0)
    #expect(played.left[24_160] == 8_160 / 65_536.0 && log.moments.last?.position == 2)
    #expect(played.left.count == 56_000 && log.moments.last?.session == 4)
    #expect(tracks(played) == [0])
  }
}
