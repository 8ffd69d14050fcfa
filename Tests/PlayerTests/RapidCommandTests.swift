import Engine
import Glibc
import Sounds
@testable import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// Many commands in quick succession, and files that are slow to open.
@Suite struct RapidCommandTests {
  private func held() -> HeldLibrary {
    HeldLibrary(
      TestLibrary([
        "A": .constant(0.1, length: 400_000), "slow": .constant(0.2, length: 400_000),
        "C": .constant(0.4, length: 400_000),
      ]), holding: ["slow"])
  }

  private func session(_ names: [String]) -> Programme {
    let shape = FadeShape(length: 8_000, curve: .linear)
    let length = 8_000 + 392_000 * Double(names.count)
    return programme([
      Programme.Stage("S", names.map { track($0, 400_000) }, for: .frames(length), crossfade: shape)
    ])
  }

  @Test func `simultaneous next, next and pause pause a live session within 50 ms, and neither next runs`()
    async throws
  {
    try await best(where: { $0 < .milliseconds(50) }) {
      let library = held()
      let played = try await LivePlay.playing(session(["A", "slow", "slow"]), library)
      let began = ContinuousClock.now
      let outcomes = await played.player.perform([.next, .next, .pause])
      let took = ContinuousClock.now - began
      #expect(outcomes == [.coalesced, .cancelled(by: "pause"), .done])
      #expect(played.player.status.moment.trackIndex == 0)
      library.isLetGo.raise()
      await played.end()
      return took
    }
  }

  @Test func `a pause does not wait for a next that is opening its track`() async throws {
    try await best(where: { $0 < .milliseconds(50) }) {
      let library = held()
      let played = try await LivePlay.playing(session(["A", "slow"]), library)
      async let next = played.player.perform(.next)
      _ = try await onOwnThread { eventually { 2 <= library.opened.count } }
      try await played.until { !$0.idle }
      let began = ContinuousClock.now
      let outcome = await played.player.perform(.pause)
      let took = ContinuousClock.now - began
      let skipped = await next
      #expect(outcome == .done && skipped == .cancelled(by: "pause"))
      library.isLetGo.raise()
      await played.end()
      return took
    }
  }

  @Test(
    arguments: [Command.next, .gong(Cue("slow"))],
    [("corked", OutputEvent.corked(true)), ("asleep", .asleep(true)), ("unplugged", .unplugged(to: "hall"))])
  func `an interruption does not wait for a command that is opening its sound`(
    _ command: Command, _ interruption: (name: String, event: OutputEvent)
  ) async throws {
    try await best(where: { $0 < .milliseconds(50) }) {
      let library = held()
      // The first track, the one that is opened ahead, and the sound of the gong.
      let opens = command == .next ? 2 : 3
      let played = try await LivePlay.playing(session(["A", "slow"]), library)
      async let loading = played.player.perform(command)
      _ = try await onOwnThread { eventually { opens <= library.opened.count } }
      try await played.until { !$0.idle }
      let began = ContinuousClock.now
      played.player.outputChanged(interruption.event)
      while played.player.status.moment.state != "paused" { await Task.yield() }
      let took = ContinuousClock.now - began
      // The interrupted command may end before the interruption or after it.
      func ended(_ metrics: QueueMetrics) -> [String] {
        metrics.operations.filter { $0.name == interruption.name }.map(\.priority)
      }
      try await played.until { !ended($0).isEmpty }
      #expect(await played.player.queueMetrics().map(ended) == ["critical"])
      library.isLetGo.raise()
      #expect(await loading == .cancelled(by: interruption.name))
      await played.end()
      return took
    }
  }

  @Test func `stop has critical priority, pause and resume high, navigation normal, and the cache low`() async throws {
    let played = try await LivePlay.playing(session(["A", "C"]), held())
    for command in [Command.pause, .resume, .next, .cache(.clear), .stop] {
      #expect(await played.player.perform(command) == .done)
    }
    let priorities = await played.player.queueMetrics()?.operations.map(\.priority)
    #expect(priorities == ["high", "high", "normal", "low", "critical"])
    await played.end()
  }

  @Test func `ten nexts in two seconds open ten tracks and no more`() async {
    let library = held()
    let log = CommandLog()
    let nexts = (0..<10).map { (1 + 0.2 * Double($0), [Command.next]) }
    let played = await perform(
      session(Array(repeating: "A", count: 10) + ["C"]), library, doing: TimedCommands(nexts + [(5, [.stop])], log: log)
    )
    #expect(log.outcomes == Array(repeating: .done, count: 11))
    #expect(log.moments.last?.trackIndex == 10 && played.left.last.map { $0 < 0.4 } == true)
    #expect(library.opened.count == 11)
  }

  @Test func `nexts that arrive during a slow next become one navigation, and at most six tracks are opened`()
    async throws
  {
    let library = held()
    let played = try await LivePlay.playing(session(["A", "slow"] + Array(repeating: "A", count: 8) + ["C"]), library)
    async let first = played.player.perform(.next)
    _ = try await onOwnThread { eventually { 2 <= library.opened.count } }
    try await played.until { !$0.idle }
    async let others = played.player.perform(Array(repeating: .next, count: 9))
    try await played.until { $0.depth != 0 }
    library.isLetGo.raise()
    let outcomes = await [first] + others
    #expect(outcomes == [.done] + Array(repeating: .coalesced, count: 8) + [.done])
    // The track that plays, the targets of both navigations, and the tracks after each of them.
    #expect(library.opened.count <= 6)
    #expect(try await played.comes(to: 10))
    await played.end()
  }
}

/// A player that runs on the system clock.
private struct LivePlay {
  let player: AudioPlayerService
  private let task: Task<PlaybackResult, Never>

  /// Returns when the first track is heard. Sounds that are held back don't time out, and the machine's memory is not
  /// watched, so the queue contains only the operations of the test however late the machine is.
  static func playing(_ programme: Programme, _ library: any SoundLibrary) async throws -> LivePlay {
    let player = AudioPlayerService(
      playing: programme, from: library, into: NullSink(pace: .listener), memoryPressure: "", timesOutLoads: false
    ) { _ in }
    let play = LivePlay(player: player, task: Task { await player.play() })
    #expect(try await play.comes(to: 0))
    return play
  }

  /// Whether the track with this index is heard before the timeout.
  func comes(to index: Int) async throws -> Bool {
    try await onOwnThread { [player] in eventually { player.status.moment.trackIndex == index } }
  }

  /// Returns when the queue's metrics meet a condition. Throws `Hang` if they never do.
  func until(_ condition: (QueueMetrics) -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(Hang.limit)
    while await !(player.queueMetrics().map(condition) ?? false) {
      guard .now < end else { throw Hang() }
      try await onOwnThread { _ = poll(nil, 0, 1) }
    }
  }

  func end() async {
    _ = await player.perform(.stop)
    _ = await task.value
  }
}
