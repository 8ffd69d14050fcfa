import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// How a listener ends a session: a stage with a track of ten seconds, then a stage with a gong.
@Suite struct EndTests {
  let library = TestLibrary([
    "A": .constant(0.5, length: 80_000), "B": .constant(0.25, length: 80_000), "bell": .constant(0.1, length: 8_000),
  ])

  private var session: Programme {
    programme([
      Programme.Stage("One", [track("A", 80_000)], for: .frames(80_000)),
      Programme.Stage(
        "Two", [track("B", 80_000)], for: .frames(80_000), gongs: [Programme.Gong("bell", 8_000, at: 4_000)]),
    ])
  }

  @Test func `no stage begins and no gong strikes during a long final fade`() async {
    let played = await perform(session, library, doing: TimedCommands([(9, [.finish(fade: 4)])]))
    let names = played.events.map(\.event.name)
    #expect(names.count { $0 == "stage.started" } == 1 && names.count { $0 == "track" } == 1)
    #expect(!names.contains("gong"))
    // The fade lasts as long as the stage.
    #expect(played.frames.count == 10 * 8_000)
  }

  @Test func `a final fade can be shortened but not extended`() async {
    let log = CommandLog()
    let commands: [(Double, [Command])] = [(2, [.finish(fade: 5)]), (3, [.finish(fade: 9)]), (4, [.finish(fade: 1)])]
    let played = await perform(session, library, doing: TimedCommands(commands, log: log))
    #expect(log.outcomes.map(\.name) == ["done", "rejected", "done"])
    #expect(played.frames.count == 5 * 8_000)
  }

  @Test func `a command rejected during the final fade names what it attempted`() async {
    let log = CommandLog()
    let refused: [Command] = [.pause, .next, .resume, .seek(.by(1)), .volume(.unity, over: 0), .finish(fade: 9)]
    let commands = [(2.0, [Command.finish(fade: 5)])] + refused.map { (3.0, [$0]) }
    _ = await perform(session, library, doing: TimedCommands(commands, log: log))
    let words = ["pause", "skip", "resume", "seek", "change the volume", "fade out again"]
    #expect(
      log.outcomes.dropFirst()
        == words.map { .rejected(.invalidState(current: "fadingOut", attempted: $0)) }[...])
    #expect(
      "\(PlayerError.invalidState(current: "fadingOut", attempted: "pause"))" == "can't pause while fadingOut")
  }

  @Test func `a simultaneous pause and stop end a live session after the ramp`() async throws {
    let sink = ListeningSink()
    // An hour, so that the session can't end before the commands, however busy the machine is.
    let hour = programme([Programme.Stage("Hour", [track("A", 28_800_000)], for: .frames(28_800_000))])
    let library = TestLibrary(["A": .constant(0.5, length: 28_800_000)])
    let player = AudioPlayerService(playing: hour, from: library, into: sink) { _ in }
    async let played = player.play()
    let isPlaying = try await onOwnThread { eventually { 0.1 < player.status.moment.session } }
    #expect(isPlaying)
    #expect(await player.perform([.pause, .stop]) == [.done, .done])
    #expect(await played.reason == .stopped)
    // On a busy machine, silence follows the ramp until the stop is executed.
    let heard = sink.frames.map(\.left)
    let end = heard.reversed().drop { $0 == 0 }.prefix(160)
    #expect(end.count == 160 && end.last == 0.5 && (end.first ?? 1) < 1e-3)
    #expect(zip(end, end.dropFirst()).allSatisfy { $0 <= $1 })
  }

  /// A stage of two seconds whose gong begins at its end and rings for ten seconds.
  private var ringing: Programme {
    programme([Programme.Stage("One", [], for: .frames(16_000), gongs: [Programme.Gong("long", 80_000, at: 16_000)])])
  }

  @Test(
    arguments: [
      ([(3, [.effects(.stop)])], 3.02), ([(3, [.pause]), (60, [.resume])], 3.02),
      ([(3, [.effects(.stop)]), (3.01, [.gong(Cue("bell"))])], 4.01),
      ([(3, [.pause]), (60, [.gong(Cue("bell")), .resume])], 4.02),
      ([(3, [.nextStage])], 12),
    ] as [([(Double, [Command])], Double)])
  func `the session ends with what still sounds after its gongs were stopped or faded out by a pause`(
    commands: [(Double, [Command])], end: Double
  ) async {
    var library = library
    library.sounds["long"] = .constant(0.1, length: 80_000)
    let log = CommandLog()
    let played = await perform(ringing, library, doing: TimedCommands(commands, log: log))
    #expect(played.frames.count == Int((end * 8_000).rounded()))
    #expect(played.events.last?.event.name == "session.finished" && played.performance.reason == .completed)
    if commands.count == 2 { #expect(log.outcomes.allSatisfy { $0 == .done }) }
  }

  @Test func `finishing during a pause ends the session at once, without further events or commands`() async {
    let log = CommandLog()
    let commands: [(Double, [Command])] = [(1, [.pause]), (60, [.finish(fade: 3)]), (70, [.resume])]
    let played = await perform(session, library, doing: TimedCommands(commands, log: log))
    #expect(log.outcomes == [.done, .done])
    // The output ends with the 20 ms of the pause's ramp.
    #expect(played.frames.count == 8_160)
    #expect(abs(played.left[8_159]) < 1e-3)
    #expect(played.events.last?.run == 60)
  }

  @Test func `the session fades out when the script ends in an open stage`() async {
    var open = session
    open.stages.removeLast()
    open.stages[0].duration = .open
    open.stages[0].playlist.repetition = .track
    let played = await perform(open, library, doing: TimedCommands([(12, [.gong(Self.bell)])]))
    #expect(played.frames.count == 15 * 8_000)
    #expect(played.events.last?.event.name == "session.finished")
  }

  private static let bell = Cue("bell")
}

/// Several commands at one frame, each of which changes the result of the one before.
@Suite struct OneInstantTests {
  let library = TestLibrary(["A": .constant(0.5, length: 80_000), "bell": .constant(0, length: 800)])

  private var session: Programme {
    programme([Programme.Stage("One", [track("A", 80_000)], for: .frames(80_000))])
  }

  private static let bell = Cue("bell")

  @Test func `a gong at the same instant does not undo resuming the music`() async {
    let played = await perform(
      session, library, doing: TimedCommands([(1, [.music(.pause)]), (2, [.music(.resume), .gong(Self.bell)])]))
    #expect(played.left[12_000] == 0 && played.left[24_000] == 0.5)
  }

  @Test func `a seek to the current position during a pause does not play the track twice`() async {
    let played = await perform(
      session, library,
      doing: TimedCommands([(1, [.pause]), (2, [.seek(.by(0))]), (3, [.resume, .gong(Self.bell)])]))
    #expect(played.left[16_000] == 0.5)
  }

  @Test func `music paused before its track begins, during a pause of the session, starts with the session`() async {
    let played = await perform(
      session, library,
      doing: TimedCommands([
        (1, [.pause]), (2, [.jump(track: 0), .music(.pause)]), (3, [.resume]), (4, [.music(.pause)]),
        (5, [.music(.resume)]),
      ]))
    // The track begins after the pause, and is paused alone a second later.
    #expect(played.events.filter { $0.event.name == "track" }.map(\.session) == [0])
    #expect(played.left[8_400] == 0.5 && played.left[17_000] == 0 && played.left[24_000] == 0)
    #expect(played.left[24_800] == 0.5)
  }
}
