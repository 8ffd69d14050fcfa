import Sounds
@testable import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// Commands that would change nothing are rejected, and say why.
@Suite struct NoEffectTests {
  let library = TestLibrary([
    "A": .constant(0.1, length: 80_000), "voice": .constant(0.1, length: 80_000), "bowl": .constant(0.1, length: 8_000),
  ])

  private var session: Programme {
    let shape = FadeShape(length: 8_000, curve: .linear)
    return programme([
      Programme.Stage("One", [track("A", 80_000), track("A", 80_000)], for: .frames(80_000), crossfade: shape)
    ])
  }

  private func outcomes(_ commands: [(Double, [Command])]) async -> [CommandOutcome] {
    let log = CommandLog()
    _ = await perform(session, library, doing: TimedCommands(commands, log: log))
    return log.outcomes
  }

  private static let voice = Command.overlay(.play(OverlayRequest(cue: Cue("voice"), times: .times(2), delay: 1)))
  private static let half = Gain(linear: 0.5)

  /// The first commands have an effect, the last one has none.
  @Test(
    arguments: [
      ([.pause, .pause], "the session is already paused"), ([.play], "the session is already playing"),
      ([.resume], "the session is already playing"),
      ([.music(.pause), .resume, .play], "the session is already playing"),
      ([.volume(.unity, over: 3)], "the volume is already 100%"),
      ([.volume(half, over: 0), .volume(half, over: 0)], "the volume is already 50%"),
      ([.volumeStep(.share(0.1), of: nil, over: 0)], "the volume is already 100%"),
      ([.music(.volume(half, over: 0)), .music(.volume(half, over: 0))], "the volume is already 50%"),
      ([.effects(.volume(.unity, over: 0))], "the volume is already 100%"),
      ([voice, .overlay(.volume(.unity, over: 0))], "the volume is already 100%"),
      ([voice, .overlay(.pause), .overlay(.pause)], "the overlays are already paused"),
      ([voice, .overlay(.resume)], "no overlay is paused"),
      ([voice, .overlay(.repetition(.times(2), delay: 1))], "the overlay already repeats like that"),
      ([.effects(.stop)], "no gong is ringing"),
      ([.gong(Cue("bowl")), .effects(.stop), .effects(.stop)], "no gong is ringing"),
      ([.effects(.preload([Cue("bowl")])), .effects(.preload([Cue("bowl")]))], "the gongs are already in memory"),
      ([.effects(.unload([Cue("bowl")]))], "the gongs are not in memory"),
      ([.crossfade(duration: 1, curve: .linear)], "the crossfades are already like that"),
      ([.repetition(.off, count: nil)], "the stage already repeats like that"),
      ([.extend(by: 0)], "the end of the stage would not move"),
      ([.extend(by: -60), .extend(by: -1)], "the stage is over, so its end can't move"),
      ([.pause, .extend(by: -60), .extend(by: -60)], "the stage is over, so its end can't move"),
      ([.playlist(.move(from: 1, to: 1))], "the playlist is already like that"),
      ([.music(.pause), .music(.pause)], "the music is already paused"), ([.music(.resume)], "the music is not paused"),
      ([.seek(.by(0))], "the track is already at that position"),
      ([.pause, .next, .seek(.to(0))], "the track is already at that position"),
    ] as [([Command], String)])
  func `a command that changes nothing is rejected with the reason`(commands: [Command], reason: String) async {
    let outcomes = await outcomes([(2, commands)])
    #expect(outcomes.dropLast().allSatisfy { $0 == .done })
    #expect(outcomes.last == .rejected(.edit(.noEffect(reason))))
  }

  @Test func `commands for the overlays are rejected while no overlay plays`() async {
    let commands: [Command] = [
      .overlay(.stop), .overlay(.pause), .overlay(.resume), .overlay(.volume(Self.half, over: 0)),
      .overlay(.repetition(.forever, delay: 0)),
    ]
    let ended = commands.map { _ in CommandOutcome.rejected(.edit(.noOverlay)) }
    #expect(await outcomes([(2, commands)]) == ended)
    #expect(await outcomes([(1, [Self.voice, .overlay(.stop)]), (2, commands)]) == [.done, .done] + ended)
  }

  @Test func `an overlay that is silent between two repeats takes commands`() async {
    var session = session
    session.stages[0].duration = .frames(400_000)
    let log = CommandLog()
    let commands: [Command] = [
      .overlay(.volume(Self.half, over: 0)), .overlay(.pause), .overlay(.volume(.unity, over: 0)),
      .overlay(.repetition(.times(3), delay: 0)), .overlay(.resume), .overlay(.stop),
    ]
    _ = await perform(session, library, doing: TimedCommands([(1, [Self.voice]), (11.5, commands)], log: log))
    #expect(log.outcomes == Array(repeating: .done, count: 7))
  }

  @Test func `music and overlays take up to +12 dB, and later ones keep their volumes`() async {
    let loud = Gain.maximumVolume(of: .music)
    let short = Command.overlay(.play(OverlayRequest(cue: Cue("bowl"))))
    var session = session
    session.stages[0] = Programme.Stage("One", [track("A", 24_000)], for: .frames(24_000))
    session.stages.append(Programme.Stage("Two", [track("A", 24_000)], for: .frames(24_000)))
    let log = CommandLog()
    let commands: [(Double, [Command])] = [
      (0.5, [short, .overlay(.volume(Gain(linear: 2), over: 0))]), (1, [.music(.volume(loud, over: 0))]),
      (2, [.volumeStep(.decibels(60), of: .music, over: 0)]), (4, [short]),
    ]
    let played = await perform(session, library, doing: TimedCommands(commands, log: log))
    #expect(log.outcomes.map(\.name) == ["done", "done", "done", "rejected", "done"])
    #expect(abs(played.left[7_000] - (0.1 + 0.2)) < 1e-5)
    #expect(abs(played.left[16_000] - 0.398_107) < 1e-5)
    // The second stage, and the second overlay.
    #expect(abs(played.left[36_000] - (0.398_107 + 0.2)) < 1e-5)
  }

  @Test func `a gong or an overlay that can't be opened emits an error before its outcome`() async {
    let missing = Cue("nowhere")
    for command in [
      Command.gong(missing), .overlay(.play(OverlayRequest(cue: missing))), .playlist(.append([missing])),
    ] {
      let played = await perform(session, library, doing: TimedCommands([(2, [command])]))
      let names = played.events.map(\.event.name)
      let error = names.firstIndex(of: "error")
      #expect(error.map { Array(names[($0 - 1)...($0 + 1)]) } == ["load.failed", "error", "command"])
      #expect(played.lines.contains { $0.contains(#""event":"error","stage":"One","code":"fileNotFound""#) })
    }
  }

  @Test(arguments: [true, false])
  func `a run ends with its metrics, which are the same in each render`(isStopped: Bool) async {
    let commands: [(Double, [Command])] = [
      (2, [.volume(Self.half, over: 1)]), (3, isStopped ? [.stop] : [.gong(Cue("bowl"))]),
    ]
    var lines: Set<String> = []
    for length in [480, 100] {
      let played = await perform(session, library, blockLength: length, doing: TimedCommands(commands))
      #expect(played.events.suffix(2).map(\.event.name) == ["metrics", "session.finished"])
      lines.formUnion(played.lines.dropLast().suffix(1))
    }
    #expect(lines.count == 1 && lines.first?.contains(#""totalOperations":2,"#) == true)
  }

  @Test func `without metrics there is no such event, and the command is rejected`() async {
    let log = CommandLog()
    let names = Mutex<[String]>([])
    let player = AudioPlayerService(
      playing: session, from: library, into: CollectingSink(),
      script: TimedCommands([(2, [.metrics(reset: false)])], log: log), measures: false
    ) { event in names.withLock { $0.append(event.event.name) } }
    _ = await player.play()
    #expect(names.withLock { !$0.contains("metrics") && $0.last == "session.finished" })
    let reason = "the metrics are not recorded; start the player with metrics"
    #expect(log.outcomes == [.rejected(.edit(.noEffect(reason)))])
    #expect(await player.queueMetrics() == nil)
  }
}
