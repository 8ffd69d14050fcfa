import ProsperKit
import TestSupport
import Testing

/// Commands and streams while a session plays in real time.
@Suite struct ControllingTests {
  @Test func `commands have outcomes, and their effects are streamed`() async throws {
    let session = try await session("  - {name: One, duration: open, tracks: [endless.count, 8000.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let (states, tracks) = (player.states(), player.tracks())
    #expect(player.status.state == .idle && player.status.title == "Counted")
    async let result = player.play()
    for await state in states where state.kind == .playing { break }
    #expect(await tracks.first { _ in true }??.title == "endless.count")
    #expect(await player.track()?.title == "8000.count")
    for steps in [Int.max, Int.min] { _ = await player.track(after: steps) }
    #expect(await player.perform(.pause) == .done)
    for await state in states where state.kind == .paused { break }
    #expect(player.status.state == .paused && player.status.moment.stage == "One")
    #expect(await player.perform([.resume, .volume(Gain(linear: 0.5))]) == [.done, .done])
    guard case .rejected(let error) = await player.perform(.goto(stage: "Two")) else {
      Issue.record("a stage that does not exist was entered")
      return
    }
    #expect(error.code == "noSuchStage" && error.description == "there is no stage 'Two'; use one of: One")
    #expect(await player.perform(.stop) == .done)
    #expect(try await result.reason == .stopped)
    let metrics = try #require(await player.metrics())
    #expect(metrics.totalOperations == 5 && metrics.totalFailures == 1 && metrics.idle)
    #expect(metrics.execution.recent.count == 5 && metrics.description.contains(#""totalOperations":5"#))
  }

  @Test func `values outside their range are limited to it`() {
    let (full, twelve) = (Gain.unity, Gain(decibels: 12))
    let cue = Cue(source: SoundSource(.file(path: "/a.wav"), start: -1, end: .infinity), gain: Gain(linear: .nan))
    let limited: [(Command, Command)] = [
      (.volume(Gain(linear: 7), over: -1), .volume(full)), (.volume(Gain(linear: .nan)), .volume(.silence)),
      (.finish(fade: 1_000), .finish(fade: 60)), (.seek(.by(-.infinity)), .seek(.by(-604_800))),
      (.seek(.to(-3)), .seek(.to(0))), (.goto(stage: "A", at: .nan), .goto(stage: "A")),
      (.music(.volume(Gain(linear: 9))), .music(.volume(twelve))), (.crossfade(duration: 61), .crossfade(duration: 60)),
      (.repetition(.track, count: -1), .repetition(.track, count: 0)),
      (.overlay(.repetition(.times(0), delay: -1)), .overlay(.repetition(.times(1), delay: 0))),
      (.effects(.volume(Gain(linear: 2), over: .infinity)), .effects(.volume(full, over: 3_600))),
      (
        .gong(cue),
        .gong(Cue(source: SoundSource(.file(path: "/a.wav"), start: 0, end: 604_800), title: "a.wav", gain: .silence))
      ),
    ]
    for (command, expected) in limited { #expect(command.limited == expected) }
  }

  @Test func `positions come ten times a second`() async throws {
    let session = try await session("  - {name: One, tracks: [16000.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let positions = player.positions()
    async let result = player.play()
    var tenths: [Int] = []
    for await position in positions {
      #expect(position.track == "16000.count" && position.duration == 2 && position.position == position.session)
      tenths.append(Int((10 * position.session).rounded()))
    }
    // They begin at the first whole second. The buffer of a reader has room for all of them.
    #expect(tenths == [10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    _ = try await result
  }

  @Test func `a cancelled task ends its session`() async throws {
    let session = try await session("  - {name: One, duration: open, tracks: [endless.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let states = player.states()
    let task = Task { try await player.play() }
    for await state in states where state.kind == .playing { break }
    task.cancel()
    #expect(try await task.value.reason == .interrupted)
  }
}
