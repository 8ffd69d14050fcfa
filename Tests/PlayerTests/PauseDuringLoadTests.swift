import Engine
import Sounds
@testable import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// Commands whose sounds hang, as from a server that accepts a connection and never answers.
@Suite struct PauseDuringLoadTests {
  @Test(arguments: [
    Command.gong(Cue("slow")), .overlay(.play(OverlayRequest(cue: Cue("slow")))), .playlist(.append([Cue("slow")])),
    .playlist(.replace([Cue("slow")])), .effects(.preload([Cue("slow")])),
  ])
  func `pause and resume do not wait for a sound that hangs, and its command is then done`(_ load: Command)
    async throws
  {
    let play = try await HangingPlay()
    async let loaded = play.player.perform(load)
    try await play.hangs()
    #expect(await play.player.perform(.pause) == .done)
    #expect(await play.player.perform(.resume) == .done)
    play.library.isAnswering.raise()
    #expect(await loaded == .done)
    let events = await play.end(by: .stop)
    #expect(events.count { if case .command(load.name, _, .ended(.done)) = $0 { true } else { false } } == 1)
  }

  @Test(arguments: [
    Command.gong(Cue("slow")), .overlay(.play(OverlayRequest(cue: Cue("slow")))), .playlist(.append([Cue("slow")])),
    .effects(.preload([Cue("slow")])),
  ])
  func `a load is told when it begins, while it lasts, and when it has ended`(_ load: Command) async throws {
    let play = try await HangingPlay()
    async let loaded = play.player.perform(load)
    try await play.hangs()
    #expect(play.ends == ["load.started"])
    _ = try await onOwnThread { eventually { 3 <= play.told.count } }
    #expect(play.told.prefix(3) == ["load.started", "load.progress", "load.cancellable"])
    #expect(play.player.status.loading == "slow" && play.player.status.actions.contains("cancel"))
    play.library.isAnswering.raise()
    #expect(await loaded == .done)
    #expect(play.ends == ["load.started", "load.completed"])
    _ = await play.end(by: .stop)
  }

  @Test(arguments: [Command.gong(Cue("slow")), .playlist(.append([Cue("slow")]))])
  func `cancel ends the load that a command waits for, and that command`(_ load: Command) async throws {
    let play = try await HangingPlay()
    #expect(await play.player.perform(.cancel).name == "rejected")
    async let loaded = play.player.perform(load)
    try await play.hangs()
    #expect(await play.player.perform(.cancel) == .done)
    #expect(await loaded == .cancelled(by: "cancel"))
    #expect(play.ends == ["load.started", "load.failed"])
    play.library.isAnswering.raise()
    _ = await play.end(by: .stop)
  }

  @Test func `a gong that opens during the pause rings once, after it`() async throws {
    let play = try await HangingPlay()
    async let gong = play.player.perform(.gong(Cue("slow")))
    try await play.hangs()
    #expect(await play.player.perform(.pause) == .done)
    play.library.isAnswering.raise()
    #expect(await gong == .done)
    #expect(play.strikes == 0)
    #expect(await play.player.perform(.resume) == .done)
    _ = try await onOwnThread { eventually { play.strikes != 0 } }
    _ = await play.end(by: .stop)
    #expect(play.strikes == 1)
  }

  @Test(arguments: [(Command.stop, CommandOutcome.cancelled(by: "stop")), (.finish(fade: 0), .rejected(.ended))])
  func `stop and finish do not wait for a gong that hangs, and it has one outcome`(
    _ end: Command, _ outcome: CommandOutcome
  ) async throws {
    let play = try await HangingPlay()
    async let gong = play.player.perform(.gong(Cue("slow")))
    try await play.hangs()
    let events = await play.end(by: end)
    play.library.isAnswering.raise()
    #expect(await gong == outcome)
    let told = events.compactMap { if case .command("gong", _, .ended(let told)) = $0 { told } else { nil } }
    #expect(told == [outcome])
  }

  @Test func `a live script pauses while the sound of an earlier command hangs`() async throws {
    let log = CommandLog()
    let play = try await HangingPlay(
      script: TimedCommands([(0, [.gong(Cue("slow"))]), (0.1, [.pause]), (0.2, [.resume])], log: log))
    _ = try await onOwnThread { eventually { log.count == 2 } }
    #expect(log.outcomes == [.done, .done])
    play.library.isAnswering.raise()
    _ = try await onOwnThread { eventually { log.count == 3 } }
    _ = await play.end(by: .stop)
    #expect(log.outcomes == [.done, .done, .done])
  }
}

/// A library whose sound "slow" can neither be probed nor opened until a flag is raised.
private struct HangingLibrary: SoundLibrary {
  let sounds = TestLibrary(["A": .constant(0.1, length: 4_800_000), "slow": .constant(0.2, length: 4_800_000)])
  let hangs = Flag()
  let isAnswering = Flag()

  private func wait(for source: SoundSource) {
    guard source.label == "slow" else { return }
    hangs.raise()
    _ = eventually { isAnswering.isRaised }
  }

  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    wait(for: source)
    return try sounds.probe(source, at: rate)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    wait(for: source)
    return try sounds.open(source, at: rate, from: offset)
  }
}

/// A player in real time whose track "A" is heard.
private struct HangingPlay {
  let library = HangingLibrary()
  let player: AudioPlayerService
  private let events: Events
  private let task: Task<PlaybackResult, Never>

  private final class Events: Sendable {
    let list = Mutex<[PlayerEvent]>([])
  }

  init(script: TimedCommands? = nil) async throws {
    let events = Events()
    let player = AudioPlayerService(
      playing: programme([Programme.Stage("S", [track("A", 4_800_000)], for: .natural)]), from: library,
      into: NullSink(pace: .listener), script: script, memoryPressure: "", timesOutLoads: false
    ) { event in events.list.withLock { $0.append(event.event) } }
    (self.player, self.events) = (player, events)
    task = Task { await player.play() }
    _ = try await onOwnThread { eventually { player.status.moment.track == "A" } }
  }

  var strikes: Int { events.list.withLock { $0.count { if case .gong = $0 { true } else { false } } } }

  /// The names of the events of the load of "slow".
  var told: [String] {
    events.list.withLock { $0.filter { $0.name.hasPrefix("load.") && $0.title == "slow" }.map(\.name) }
  }

  /// Those of its beginning and its end.
  var ends: [String] { told.filter { $0 != "load.progress" && $0 != "load.cancellable" } }

  func hangs() async throws { _ = try await onOwnThread { [library] in eventually { library.hangs.isRaised } } }

  /// - Returns: All events of the session.
  func end(by command: Command) async -> [PlayerEvent] {
    #expect(await player.perform(command) == .done)
    #expect(await task.value.reason == .stopped)
    return events.list.withLock { $0 }
  }
}
